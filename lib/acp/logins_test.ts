import { assertEquals, assertRejects } from "@std/assert";
import { MemoryClient } from "../../tests/acp_client.ts";
import { SkepError } from "../errors.ts";
import { authenticate, type Logins, logout } from "./logins.ts";

/** Two logins, and what was done with them. */
function logins(): Logins & { readonly done: string[] } {
  const done: string[] = [];
  return {
    done,
    methods: ["one", "two"].map((id) => ({ id, name: id, description: id })),
    logIn: (id) => Promise.resolve(void done.push(`in ${id}`)),
    logOut: () => Promise.resolve(void done.push("out")),
  };
}

Deno.test("authenticate() logs in by a method that was offered, and refuses all others", async () => {
  const offered = logins();
  assertEquals(await authenticate({ methodId: "two" }, offered), {});
  for (const methodId of ["three", "", 2, null, undefined]) {
    const error = await assertRejects(
      () => authenticate({ methodId }, offered),
      SkepError,
      "authenticate: methodId must be one of one, two",
    );
    assertEquals(error.code, "INVALID_PARAMS");
  }
  assertEquals(offered.done, ["in two"]);
});

Deno.test("logout() forgets what is kept, and does nothing where there is no login", async () => {
  const offered = logins();
  assertEquals([await logout(offered), await logout(undefined)], [{}, {}]);
  assertEquals(offered.done, ["out"]);
});

Deno.test("serveAcp() refuses to log in where nothing asks for it, and says why a login failed", async () => {
  await using plain = new MemoryClient();
  assertEquals(await plain.request("authenticate", { methodId: "one" }), {
    code: -32602,
    message: "authenticate: there is nothing to log in to",
  });
  assertEquals(await plain.request("authenticate"), {
    code: -32602,
    message: "authenticate: params must be an object",
  });
  assertEquals(await plain.request("logout", {}), {});
  const refused = new SkepError("PROVIDER_AUTH_FAILED", "it was refused", {
    provider: "p",
    status: 401,
  });
  const failing = { ...logins(), logIn: () => Promise.reject(refused) };
  await using client = new MemoryClient({ logins: failing });
  const { code, message } = await client.request("authenticate", { methodId: "one" });
  assertEquals([code, message], [-32000, "it was refused"]);
});
