import { assertEquals } from "@std/assert";
import { secretFiles } from "./secret_files.ts";
import { testContext } from "./test_world.ts";

function found(files: Record<string, string>, read = "/work/ws"): Promise<string[]> {
  const grant = { read: [{ value: read, origin: "" }], workspace: "/work/ws" };
  return secretFiles(grant, testContext({ files }).host.files);
}

Deno.test("secretFiles() names files with secrets in the root of a workspace that the server reads", async () => {
  const files = {
    "/work/ws/.env": "# mine\nexport GH_TOKEN='abc'\n",
    "/work/ws/mcp.json": '{"mcpServers":{"a":{"env":{"API_KEY": "abc"}}}}',
  };
  assertEquals(await found(files), [".env", "mcp.json"]);
  assertEquals(await found(files, "/work/ws/docs"), []);
});

Deno.test("secretFiles() leaves files without one", async () => {
  const files = {
    "/work/ws/.env": "MODE=test\nGH_TOKEN=\n",
    "/work/ws/mcp.json": '{"mcpServers":{"a":{"env":{"API_KEY": "${API_KEY}"}}}}',
  };
  assertEquals(await found(files), []);
});
