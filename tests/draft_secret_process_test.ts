// What a reply said before its program was killed is kept without secrets, also those that came in pieces.
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { PATIENCE_MS, skep, startSkep, tempFolder } from "./harness.ts";

const SECRET = "sk-SECRETKEY123456";
const LEAK = `replies:
  - parts:
      - { text: "key: sk-SECR" }
      - { delay: 600 }
      - { text: "ETKEY123456 and" }
      - { delay: 600 }
      - { text: " more" }
      - { delay: 300000 }
      - { text: end }
`;

Deno.test("a key that a reply says in two pieces is not in the session that a kill leaves", async () => {
  await using folder = await tempFolder();
  const script = join(folder.path, "leak.yaml");
  await Deno.writeTextFile(script, LEAK);
  const [state, cwd] = [join(folder.path, "state"), join(folder.path, "work")];
  await Promise.all([Deno.mkdir(state), Deno.mkdir(cwd)]);
  const options = { cwd, env: { OPENAI_COMPAT_API_KEY: SECRET, SKEP_STATE_DIR: state } };
  await using running = await startSkep(
    ["chat", "--sandbox", "off", "--model", `script:${script}`, "-p", "go"],
    options,
  );
  const sessions = (...args: string[]) => skep(["sessions", ...args], options);
  let id = "";
  let shown = "";
  for (const until = Date.now() + PATIENCE_MS; Date.now() < until && !shown.includes("more");) {
    if (id === "") id = /ses_\w+/.exec((await sessions("list")).stdout)?.[0] ?? "";
    else shown = (await sessions("show", id)).stdout;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  running.signal("SIGKILL");
  await running.ended;
  shown = (await sessions("show", id)).stdout;
  assertStringIncludes(shown, "key: [secret OPENAI_COMPAT_API_KEY] and more");
  const file = join(folder.path, "out.skep-session");
  assertEquals((await sessions("export", id, file)).code, 0);
  const exported = await Deno.readTextFile(file);
  assertStringIncludes(exported, "[secret OPENAI_COMPAT_API_KEY] and more");
  for (const text of [shown, exported]) assert(!text.includes(SECRET), text);
});
