import { assertEquals } from "@std/assert";
import { protectedPaths, protection } from "./never_granted.ts";
import { testContext, type TestWorld } from "./test_world.ts";

const PLACES = { denoDir: "/home/u/.cache/deno", temporary: "/tmp" };

async function judge(path: string, access: "read" | "write", world: TestWorld = {}) {
  const guarded = await protectedPaths(testContext(world), PLACES);
  const found = protection(path, access, guarded, world.os ?? "linux");
  return found === undefined ? undefined : `${found.relation} ${found.by.path}`;
}

Deno.test("protection() stops credentials, browser profiles and skep's own folders", async () => {
  for (
    const path of [
      "/home/u/.ssh",
      "/home/u/.aws",
      "/home/u/.gnupg",
      "/home/u/.config/gh",
      "/home/u/.mozilla",
      "/home/u/.config/google-chrome",
      "/home/u/.netrc",
      "/home/u/.config/skep",
      "/home/u/.local/state/skep",
      "/home/u/.cache/skep",
    ]
  ) {
    assertEquals(await judge(path, "read"), `inside ${path}`);
    assertEquals(await judge(`${path}/x`, "write"), `inside ${path}`);
  }
  assertEquals(await judge("/home/u/.sshx", "read"), undefined);
  assertEquals(await judge("/home/u/project", "write"), undefined);
});

Deno.test("protection() sees a folder that holds one of them", async () => {
  assertEquals(await judge("/home/u/.config", "read"), "above /home/u/.config/skep");
  assertEquals(await judge("/", "read"), "above /home/u/.config/skep");
});

Deno.test("protection() keeps the temporary folder whole, not what lies in it", async () => {
  assertEquals(await judge("/tmp", "read"), "above /tmp");
  assertEquals(await judge("/tmp/work", "write"), undefined);
});

Deno.test("protection() keeps Deno's cache from writes alone", async () => {
  assertEquals(await judge("/home/u/.cache/deno/npm", "write"), "inside /home/u/.cache/deno");
  assertEquals(await judge("/home/u/.cache/deno/npm", "read"), undefined);
});

Deno.test("protectedPaths() knows a link's end as well as the link", async () => {
  const files = { "/home/u/.ssh": "->/keys", "/keys/id": "key" };
  assertEquals(await judge("/keys", "read", { files }), "inside /keys");
  assertEquals(await judge("/home/u/.ssh", "read", { files }), "inside /home/u/.ssh");
});

Deno.test("protectedPaths() knows the places of macOS and Windows", async () => {
  const chrome = "/home/u/Library/Application Support/Google/Chrome";
  assertEquals(await judge(`${chrome}/x`, "read", { os: "darwin" }), `inside ${chrome}`);
  const windows: TestWorld = { os: "windows", env: { USERPROFILE: "/home/u" } };
  assertEquals(await judge("/HOME/U/.SSH", "read", windows), "inside /home/u/.ssh");
});

Deno.test("protectedPaths() knows the files that hold models' keys", async () => {
  const context = testContext({ env: { ANTHROPIC_API_KEY_FILE: "/work/keys/claude" } }, {
    modelKeys: { variables: ["GROQ_API_KEY"], files: ["/work/keys/groq"] },
  });
  const guarded = await protectedPaths(context, PLACES);
  const judged = (path: string) => protection(path, "read", guarded, "linux")?.by.holds;
  assertEquals(
    ["/work/keys/claude", "/work/keys/groq", "/work/keys", "/work/keys/other"].map(judged),
    ["a model's key", "a model's key", "a model's key", undefined],
  );
});
