import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { SkepError } from "../errors.ts";
import type { BackendName } from "./backend.ts";
import type { Grant } from "./grant.ts";
import type { Launch } from "./launch.ts";
import { checkNetwork, type Network, networkOf } from "./network.ts";

function grant(net: readonly string[], run: readonly string[] = []): Grant {
  const entries = (values: readonly string[]) =>
    values.map((value) => ({ value, origin: "--mcp" }));
  return { server: "s", net: entries(net), run: entries(run) } as unknown as Grant;
}

const BACKENDS = ["bwrap", "unshare", "landlock", undefined] as const;

/** What each backend gives: bwrap, unshare, Landlock, none. */
function networks(kind: Launch["kind"], net: string[], run: string[] = []): Network[] {
  return BACKENDS.map((backend) => networkOf(grant(net, run), kind, backend));
}

const all = (network: Network): Network[] => [network, network, network, network];

Deno.test("networkOf() gives a server that asks for none no network but its own", () => {
  for (const kind of ["bundled", "npm", "script", "native"] as const) {
    assertEquals(networks(kind, []), all("own"));
    assertEquals(networks(kind, [], ["/usr/bin/git"]), all("own"));
    assertEquals(networks(kind, ["unix:/run/x.sock"]), all("own"));
  }
});

Deno.test("networkOf() shares the machine's with a Deno server that runs nothing", () => {
  for (const kind of ["bundled", "npm", "script"] as const) {
    assertEquals(networks(kind, ["a.org"]), all("shared"));
    assertEquals(networks(kind, ["127.0.0.1:80"]), all("shared"));
  }
});

Deno.test("networkOf() gives loopback from the namespace, where there is one", () => {
  for (const entry of ["loopback", "loopback:80"]) {
    assertEquals(networks("script", [entry]), ["own", "own", "shared", "shared"]);
    assertEquals(networks("native", [entry]), ["own", "own", "unheld", "own"]);
  }
});

Deno.test("networkOf() sends programs through the proxy, and knows where nothing holds them", () => {
  const expected: Network[] = ["proxied", "proxied", "unheld", "unheld"];
  assertEquals(networks("native", ["a.org"]), expected);
  assertEquals(networks("native", ["localhost:80"]), expected);
  assertEquals(networks("native", ["loopback.example.org"]), expected);
  assertEquals(networks("script", ["a.org", "loopback"], ["/usr/bin/git"]), expected);
});

Deno.test("checkNetwork() refuses what nothing holds, and says why and what to do", () => {
  const refusal = (kind: Launch["kind"], backend: BackendName | undefined) => {
    const asked = grant(["a.org", "unix:/run/x.sock", "b.org:443"], ["/usr/bin/git"]);
    const error = assertThrows(() => checkNetwork(asked, kind, backend), SkepError);
    assertEquals(error.code, "GRANT_REFUSED");
    return error.message;
  };
  assertEquals(
    refusal("native", undefined),
    'Cannot start server "s": its grant names a.org, b.org:443, and it does not run in Deno. To hold ' +
      "it to these hosts takes a network namespace (bwrap or unshare), and nothing here confines it. " +
      "Take the net: entries out of its grant, or give up every confinement with --sandbox off.",
  );
  assertStringIncludes(refusal("script", "landlock"), "it runs programs");
  assertStringIncludes(refusal("script", "landlock"), "Landlock alone makes none");
  checkNetwork(grant(["a.org"]), "native", "bwrap");
  checkNetwork(grant([]), "native", undefined);
});
