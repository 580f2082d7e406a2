import { assertEquals, assertStringIncludes } from "@std/assert";
import { environmentScript, innerScript, outerScript } from "./wrapper.ts";

Deno.test("environmentScript() quotes every value for the shell", () => {
  assertEquals(
    environmentScript({ A: "1", B: 'it\'s $(id) `id` \\ "x"\nnext', C: "" }),
    "export A='1'\nexport B='it'\\''s $(id) `id` \\ \"x\"\nnext'\nexport C=''",
  );
});

Deno.test("innerScript() takes the environment out of its variable, and bounds nothing but core dumps by itself", () => {
  const lines = innerScript({}, "own").split("\n");
  assertEquals(lines.filter((line) => line.includes("ulimit")), ["ulimit -c 0 2>/dev/null"]);
  assertStringIncludes(lines.join("\n"), 'eval "$SKEP_SERVER_ENVIRONMENT"\nunset SKEP_SERVER_ENV');
  assertEquals(lines.at(-1), 'exec "$@"');
  assertEquals(innerScript({}, "first").split("\n").slice(-2), ['"$@"', "exit $?"]);
});

Deno.test("innerScript() sets each limit in the unit that shells take", () => {
  const script = innerScript({
    memory_mb: 512,
    processes: 64,
    cpu_seconds: 600,
    open_files: 256,
    file_mb: 100,
  }, "own");
  for (const bound of ["-d 524288", "-t 600", "-n 256", "-f 204800", "-u 64 || ulimit -p 64"]) {
    assertStringIncludes(script, `ulimit ${bound}`);
  }
});

Deno.test("innerScript() bounds processes beyond those that there are, where the system counts all of the user's", () => {
  const script = innerScript({ processes: 64 }, "shared");
  assertStringIncludes(script, 'ulimit -u "$(set -- /proc/[0-9]*/task/*; echo "$(($# + 64))")" ||');
});

Deno.test("innerScript() waits for the forwarder before it reads the server's environment", () => {
  const script = innerScript({}, "own", { command: ["/opt/deno", "run", "it's"], startS: 10 });
  assertStringIncludes(script, "'/opt/deno' 'run' 'it'\\''s'");
  assertStringIncludes(script, 'bound="$bound 10"');
  assertEquals(script.indexOf("ready=") < script.indexOf("eval "), true);
});

Deno.test("outerScript() joins control groups for memory and processes alone", () => {
  const joins = (script: string) => script.split("\n").filter((line) => /^ *join /.test(line));
  assertEquals(joins(outerScript({ open_files: 5, cpu_seconds: 5 }, [])), []);
  assertEquals(joins(outerScript({ memory_mb: 1, processes: 7 }, [])), [
    "join /sys/fs/cgroup/pids pids.max 7",
    "join /sys/fs/cgroup pids.max 7",
    "join /sys/fs/cgroup/memory memory.limit_in_bytes 1048576",
    "join /sys/fs/cgroup memory.max 1048576",
  ]);
});

Deno.test("outerScript() leaves its placeholders to the cleaner, the deepest first and quoted", () => {
  const script = outerScript({}, [
    { path: "/ws/.git" },
    { path: "/ws/.git/commondir", text: ".\n" },
    { path: "/ws/.git/it's" },
  ]);
  const word = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
  const drops = [
    `drop ${word("/ws/.git/it's")} rmdir`,
    `drop ${word("/ws/.git/commondir")} rm ${word(".")}`,
    `drop ${word("/ws/.git")} rmdir`,
  ];
  assertStringIncludes(script, word(drops.join("\n")).slice(1));
});
