import { assertEquals, assertThrows } from "@std/assert";
import { SkepError } from "../errors.ts";
import { npmSpecifier, readCommand } from "./command.ts";

const read = (command: string, ...args: string[]) => readCommand({ name: "s", command, args });

Deno.test("readCommand() knows the servers that skep brings", () => {
  const dev = { kind: "bundled", name: "dev", args: [], notices: [] } as const;
  assertEquals(read("skep", "mcp", "dev"), dev);
  assertEquals(read("/opt/skep", "mcp", "dev", "--x"), { ...dev, args: ["--x"] });
  assertThrows(() => read("skep", "mcp", "nope"), SkepError, 'no server "nope", only dev');
  assertEquals(read("skep", "chat").kind, "native");
});

Deno.test("readCommand() reads npx and bunx as a package of npm, its arguments exactly (T34)", () => {
  const npm = { kind: "npm", package: "@a/b", notices: [] } as const;
  assertEquals(read("npx", "-y", "@a/b", "--x", "a b", "-y"), {
    ...npm,
    args: ["--x", "a b", "-y"],
  });
  assertEquals(read("npx", "--yes", "@a/b@1.2.3"), { ...npm, version: "1.2.3", args: [] });
  assertEquals(read("C:\\n\\npx.cmd", "@a/b@latest"), { ...npm, version: "latest", args: [] });
  assertEquals(read("bunx", "@a/b@^1", "--", "c"), { ...npm, version: "^1", args: ["--", "c"] });
  assertEquals(read("npx", "-y", "--package=@a/b@2", "tool", "x"), {
    ...npm,
    version: "2",
    bin: "tool",
    args: ["x"],
  });
  assertEquals(read("npx", "-p", "@a/b", "--", "tool"), { ...npm, bin: "tool", args: [] });
});

Deno.test("readCommand() refuses an npx line that it cannot hold to a grant", () => {
  for (
    const args of [
      [],
      ["-y"],
      ["-c", "echo"],
      ["./local"],
      ["../x"],
      ["github:a/b"],
      ["a/b/c"],
      ["https://example.com/x.tgz"],
      ["-p", "a", "-p", "b", "c"],
    ]
  ) {
    const error = assertThrows(() => read("npx", ...args), SkepError);
    assertEquals(error.code, "SERVER_SPAWN_FAILED", args.join(" "));
  }
});

Deno.test("readCommand() reads deno run as a package or a script, without its flags", () => {
  assertEquals(read("deno", "run", "-A", "--no-prompt", "npm:@a/b@1", "--x", "-A"), {
    kind: "npm",
    package: "@a/b",
    version: "1",
    args: ["--x", "-A"],
    notices: [
      'Server "s": -A of its command line is not taken; what it may touch is written under permissions:',
    ],
  });
  assertEquals(
    read("/usr/bin/deno", "run", "--config", "x.json", "--allow-read=/etc", "a b.ts", "c d"),
    {
      kind: "script",
      path: "a b.ts",
      args: ["c d"],
      notices: [
        'Server "s": --config x.json --allow-read=/etc of its command line is not taken; ' +
        "what it may touch is written under permissions:",
      ],
    },
  );
  assertEquals(read("deno", "server.ts").kind, "script");
  assertEquals(read("deno", "run", "--", "-x.ts").kind, "script");
});

Deno.test("readCommand() refuses what deno would fetch or interpret", () => {
  for (
    const args of [
      ["run", "https://x/y.ts"],
      ["run", "jsr:@a/b"],
      ["task", "x"],
      ["run", "-"],
      [],
      ["eval", "1"],
    ]
  ) {
    const error = assertThrows(() => read("deno", ...args), SkepError);
    assertEquals(error.code, "SERVER_SPAWN_FAILED", args.join(" "));
  }
});

Deno.test("readCommand() takes a script's path as a script, and the rest as native", () => {
  for (const command of ["./a.ts", "/x/b.mjs", "c.JS", "d.tsx"]) {
    assertEquals(read(command, "--x"), {
      kind: "script",
      path: command,
      args: ["--x"],
      notices: [],
    });
  }
  for (const command of ["node", "uvx", "/bin/tool", "python3"]) {
    assertEquals(read(command, "f.js"), { kind: "native", command, args: ["f.js"], notices: [] });
  }
});

Deno.test("npmSpecifier() names package, version and program", () => {
  assertEquals(npmSpecifier({ package: "@a/b" }), "npm:@a/b");
  assertEquals(npmSpecifier({ package: "a", version: "1.0.0", bin: "c" }), "npm:a@1.0.0/c");
});
