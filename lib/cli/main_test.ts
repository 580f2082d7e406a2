import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { VERSION } from "../version.ts";
import { COMMANDS } from "./commands.ts";
import { main } from "./main.ts";
import { testHost } from "./test_host.ts";

Deno.test("main() shows the version and help, and loads no command for it", async () => {
  const { host, stdout, messages } = testHost();
  assertEquals(await main(["--version"], host), 0);
  assertEquals(stdout(), `skep ${VERSION}\n`);
  for (const args of [[], ["help"], ["--help"], ["-h"], ["chat", "--help"], ["chat", "-h"]]) {
    assertEquals(await main(args, host), 0);
  }
  assertEquals(messages, []);
});

Deno.test("main() tells an unknown command with the nearest known one", async () => {
  const { host, messages } = testHost();
  assertEquals(await main(["adit"], host), 1);
  assertEquals(await main(["frobnicate"], host), 1);
  assertEquals(messages, [
    'skep: There is no command "adit": did you mean "skep audit"?',
    'skep: There is no command "frobnicate": see skep --help',
  ]);
});

Deno.test("main() says a failure as JSON when that is asked for", async () => {
  const { host, messages } = testHost();
  assertEquals(await main(["chat", "--json", "--nope"], host), 1);
  assertEquals(messages.map((line) => JSON.parse(line)), [{
    code: "USAGE",
    message: "skep chat has no flag --nope: see skep chat --help",
  }]);
});

Deno.test("main() calls what is no SkepError a defect, and says where it arose", async () => {
  const fail = () => Promise.reject(new TypeError("x is not a function"));
  const { host, messages } = testHost({ print: fail });
  assertEquals(await main(["--version"], host), 4);
  assertEquals(messages.length, 1);
  assertStringIncludes(messages[0]!, "skep: this is a defect in skep: x is not a function");
  assertStringIncludes(messages[0]!, "main_test.ts");
});

Deno.test("main() ends quietly when nobody reads its output", async () => {
  const error = new Error("Broken pipe");
  error.name = "BrokenPipe";
  const { host, messages } = testHost({ print: () => Promise.reject(error) });
  assertEquals([await main(["--help"], host), messages], [141, []]);
});

Deno.test("main() says in one line that stdout is full, and calls that no defect", async () => {
  const error = Object.assign(new Error("No space left on device"), { code: "ENOSPC" });
  const { host, messages } = testHost({ print: () => Promise.reject(error) });
  assertEquals([await main(["--help"], host), messages], [
    2,
    ["skep: Cannot write to stdout: No space left on device"],
  ]);
});

Deno.test("COMMANDS have names of their own, and usages that begin with them", () => {
  const names = COMMANDS.map(({ name }) => name);
  assertEquals(names.length, new Set(names).size);
  for (const { name, usage, positionals: [least, most] } of COMMANDS) {
    assert(usage === name || usage.startsWith(`${name} `), usage);
    assert(least <= most, name);
  }
});
