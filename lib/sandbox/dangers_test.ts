import { assertEquals } from "@std/assert";
import { dangers } from "./dangers.ts";
import { parsePolicy } from "./policy.ts";
import { PROTECTED_FILES } from "./protected_names.ts";
import { testContext } from "./test_world.ts";

const entry = (value: string) => ({ value, origin: "" });
const GRANT = {
  env: [],
  read: [],
  net: [],
  workspace: "/work/ws",
  write: [entry("/work/ws")],
  run: [entry("/usr/bin/bash")],
};

Deno.test("dangers() has none where something confines and nothing was lifted", () => {
  assertEquals(dangers("native", GRANT, "bwrap", testContext()), []);
});

Deno.test("dangers() names what nothing confines", () => {
  assertEquals(dangers("native", GRANT, undefined, testContext()), [
    "runs natively: nothing confines it",
  ]);
  assertEquals(dangers("bundled", GRANT, undefined, testContext()), [
    "may run /usr/bin/bash, which nothing confines",
  ]);
  assertEquals(dangers("bundled", { ...GRANT, run: [] }, undefined, testContext()), []);
});

Deno.test("dangers() names the protection that a policy lifted, where it matters", () => {
  const lifted = (text: string) =>
    dangers(
      "bundled",
      GRANT,
      "bwrap",
      testContext({}, { policy: parsePolicy(text, "/p.yaml", "linux") }),
    );
  assertEquals(lifted("{}"), []);
  const [all = ""] = lifted("protect: []");
  assertEquals(
    all,
    "may write .git/hooks, .git/config, .git/config.worktree, .git/commondir, .husky, .envrc, .vscode, " +
      ".idea, .devcontainer, .devcontainer.json, .zed, .cursor, .mcp.json, .claude, .codex, .gemini, .opencode, opencode.json, .npmrc, .yarnrc, .yarnrc.yml, .yarn/releases, .yarn/plugins, .pre-commit-config.yaml, lefthook.yml, .lefthook.yml, lefthook-local.yml, .mise.toml, mise.toml, grants.lock, skep's own program, the pack and the server files in use, the policy in use, " +
      "what runs by itself in a home folder: protect: of /p.yaml does not list it",
  );
  const keep = Object.keys(PROTECTED_FILES).filter((name) => name !== ".vscode")
    .concat(["${SKEP}", "${PACK}", "${POLICY}", "${HOME}"]);
  assertEquals(lifted(`protect: ${JSON.stringify(keep)}`), [
    "may write .vscode: protect: of /p.yaml does not list it",
  ]);
  const policy = parsePolicy("protect: []", "/p.yaml", "linux");
  const readOnly = { ...GRANT, write: [] };
  assertEquals(dangers("bundled", readOnly, "bwrap", testContext({}, { policy })), []);
});

Deno.test("dangers() says that a workspace holds the home folder", () => {
  const home = { ...GRANT, workspace: "/home", write: [entry("/home")] };
  assertEquals(dangers("bundled", home, "bwrap", testContext()).length, 1);
  const inside = { ...GRANT, workspace: "/home/u/x", write: [entry("/home/u/x")] };
  assertEquals(dangers("bundled", inside, "bwrap", testContext()), []);
});

Deno.test("dangers() says that a workspace holds a part of the home folder that runs by itself", () => {
  const of = (workspace: string) =>
    dangers("bundled", { ...GRANT, workspace, write: [entry(workspace)] }, "bwrap", testContext());
  const told =
    "may write a part of the home folder with settings that run by themselves, but for those that are there already";
  assertEquals(of("/home/u/.config"), [told]);
  assertEquals(of("/home/u/.local"), [told]);
  assertEquals(of("/home/u/.config/nvim"), []);
});

Deno.test("dangers() names a key of the identity that passes", () => {
  const env = [{ value: "BUZZ_PRIVATE_KEY", origin: "SKEP_PASS_KEYS" }, entry("FOO")];
  assertEquals(dangers("native", { ...GRANT, env }, "bwrap", testContext()), [
    "gets BUZZ_PRIVATE_KEY: it can speak for that identity",
  ]);
});
