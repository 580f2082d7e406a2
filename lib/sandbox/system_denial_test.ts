import { assertEquals } from "@std/assert";
import { explainDenial, findDenial } from "./denial.ts";
import { testGrant } from "./test_grant.ts";

const SOURCE = { kind: "file", where: "/home/u/mcp.json" } as const;
const failed = (text: string) => ({ isError: true, content: [{ type: "text", text }] });

Deno.test("findDenial() names the path that was refused, not the program that tells of it", async () => {
  const { grant } = await testGrant({ origin: SOURCE, permissions: { write: ["${WORKSPACE}"] } });
  for (
    const [text, access, value] of [
      ["/bin/bash: line 1: /etc/shadow: Permission denied", "read", "/etc/shadow"],
      ["started /bin/bash -c x\ncat: /root/key: Permission denied", "read", "/root/key"],
      ["/usr/bin/mv: cannot move '/work/ws/a' to '/opt/b': Permission denied", "write", "/opt/b"],
      [
        "Error: EACCES: permission denied, open '/srv/x'\n at /usr/lib/node.js:1",
        "read",
        "/srv/x",
      ],
      ["PermissionError: [Errno 13] Permission denied: '/srv/y'", "read", "/srv/y"],
    ] as const
  ) {
    const found = findDenial(grant, failed(text));
    assertEquals(found, { server: "s", access, value, isCertain: false }, text);
  }
  assertEquals(findDenial(grant, failed("bash: /usr/bin/x: Permission denied")), undefined);
});

Deno.test("findDenial() finds in a shell's command that failed what its grant refused, of every kind", async () => {
  const { grant } = await testGrant({ origin: SOURCE, permissions: { write: ["${WORKSPACE}"] } });
  const ofCall = (text: string, code = 1) =>
    findDenial(grant, {
      content: [{ type: "text", text: `${text}\n[exit code ${code} after 0.02 s]` }],
    });
  for (
    const [text, access, value] of [
      ["touch: cannot touch '/opt/x': Read-only file system", "write", "/opt/x"],
      ["touch: cannot touch '/opt/x': Permission denied", "write", "/opt/x"],
      ["cat: /srv/x: Permission denied", "read", "/srv/x"],
      ["curl: (6) Could not resolve host: example.com", "net", "example.com"],
      ["ssh: Could not resolve hostname git.org: Try again", "net", "git.org"],
      ["bash: line 1: /dev/tcp/1.2.3.4/80: Network is unreachable", "net", "1.2.3.4:80"],
      [
        "ssh: connect to host 1.2.3.4 port 22: Network is unreachable",
        "net",
        "1.2.3.4:22",
      ],
    ] as const
  ) {
    assertEquals(ofCall(text), { server: "s", access, value, isCertain: false }, text);
    assertEquals(ofCall(text, 0), undefined, text);
  }
  const unseen = ofCall("cat: /home/u/notes.txt: No such file or directory");
  assertEquals([unseen?.value, unseen?.isUnseen], ["/home/u/notes.txt", true]);
  assertEquals(
    explainDenial(unseen!, grant).startsWith(
      'Perhaps denied: the grant of server "s" does not let it read',
    ),
    true,
  );
  for (
    const path of ["/work/ws/a", "/usr/bin/x", "/proc/7/maps", "a/b"]
  ) assertEquals(ofCall(`cat: ${path}: No such file or directory`), undefined, path);
});
