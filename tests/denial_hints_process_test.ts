// What a person is told of a refusal that no server marks: by real programs behind every backend of this machine.
import { assertEquals, assertStringIncludes } from "@std/assert";
import { dirname, join } from "@std/path";
import { BACKENDS } from "./confined.ts";
import { serverFile, skep, tempFolder } from "./harness.ts";

for (const backend of BACKENDS) {
  Deno.test(`${backend}: a command of dev__shell that its grant stopped says what was refused and the line, and is no failure`, async () => {
    await using outside = await tempFolder();
    await using place = await tempFolder();
    const secret = join(outside.path, "notes.txt");
    await Deno.writeTextFile(secret, "x");
    const shell = async (command: string) => {
      const args = ["call", "dev__shell", JSON.stringify({ command }), "--sandbox", backend];
      const { code, stdout } = await skep(args, { cwd: place.path });
      assertEquals(code, 0, stdout);
      return stdout;
    };
    const read = await shell(`cat ${secret}`);
    assertStringIncludes(read, `does not let it read "${secret}"`);
    assertStringIncludes(read, `write read: ["${secret}"] under permissions:`);
    const dangerous = await shell("touch /usr/lib/x");
    // Where an ordinary user may write it neither, the system says the same of it.
    assertStringIncludes(dangerous, 'does not let it write "/usr/lib/x"');
    assertStringIncludes(dangerous, "No line is proposed for it");
    const host = await shell("echo x >/dev/tcp/192.0.2.1/80");
    assertStringIncludes(host, 'does not let it connect to "192.0.2.1:80"');
    assertEquals((await shell("cat nothing; echo done")).includes("denied"), false);
  });
}

Deno.test("a call to a server whose grant is refused ends with 1 when it is wrong, wherever that is found, and with 3 when it cannot be held", async () => {
  await using folder = await tempFolder();
  const program = join(folder.path, "tools", "program");
  await Deno.mkdir(dirname(program));
  await Deno.writeTextFile(program, "#!/bin/sh\n", { mode: 0o755 });
  for (
    const [permissions, expected] of [
      [{ limits: { memory_mb: 1e12 } }, 1],
      [{ read: ["/"] }, 1],
      [{ net: ["*"] }, 1],
      [{ secrets: { TOKEN: "env:SKEP_TEST_NOWHERE" } }, 1],
      [{ write: [dirname(program)] }, 3],
    ] as const
  ) {
    const file = await serverFile(folder.path, { x: { command: program, permissions } });
    const { code, stderr } = await skep(["call", "x__y", "{}", "--mcp", file]);
    assertEquals(code, expected, stderr);
  }
});

Deno.test("sandbox: off of an entry, and variables that steer programs, are told at the start and by the audit", async () => {
  await using folder = await tempFolder();
  const file = await serverFile(folder.path, {
    x: {
      command: "bash",
      args: ["-c", "exit 1"], // its end is not waited for
      env: { BASH_ENV: "/x" },
      permissions: { sandbox: "off" },
    },
  });
  const { stderr } = await skep(["call", "x__y", "{}", "--mcp", file]);
  const { stdout } = await skep(["audit", "x", "--mcp", file]);
  for (const text of [stderr, stdout]) {
    assertStringIncludes(text, "asks for sandbox: off, which is the operator's alone");
    assertStringIncludes(text, "is given BASH_ENV: each script of bash");
  }
});
