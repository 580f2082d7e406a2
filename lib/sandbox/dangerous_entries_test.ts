import { assertEquals } from "@std/assert";
import { dangerousEntries } from "./dangerous_entries.ts";
import { testContext } from "./test_world.ts";

const entries = (values: string[] = []) => values.map((value) => ({ value, origin: "" }));

function of(lists: { read?: string[]; write?: string[]; net?: string[] }, isRoot = false) {
  const [read, write, net] = [lists.read, lists.write, lists.net].map(entries);
  const grant = { read: read!, write: write!, net: net!, workspace: "/work/ws" };
  const { host } = testContext({ env: { PATH: "/usr/bin:/tools/bin:relative" } });
  return dangerousEntries(grant, { ...host, isRoot: () => isRoot });
}

Deno.test("dangerousEntries() has a line for what a shell runs: home, its settings, folders on PATH, the system", () => {
  assertEquals(of({ write: ["/home/u"] }), [
    "may write /home/u, your home folder: it can change what your shell runs",
  ]);
  assertEquals(of({ write: ["/home"] }).length, 1);
  assertEquals(of({ write: ["/home/u/.bashrc"] }), [
    "may write /home/u/.bashrc: it can change what runs by itself in your home folder (.bashrc: the shell runs it)",
  ]);
  assertEquals(of({ write: ["/home/u/.config"] }).length, 1);
  assertEquals(of({ write: ["/tools/bin/x"] }), [
    "may write /tools/bin/x: it can change the programs of /tools/bin, which is on your PATH, and so what your shell runs",
  ]);
  assertEquals(of({ write: ["/tools"] }).length, 1);
  assertEquals(of({ write: ["/usr/local", "/etc"] }), [
    "may write /usr/local: it can change programs and settings of the system",
    "may write /etc: it can change programs and settings of the system",
  ]);
});

Deno.test("dangerousEntries() has a line for passwords, and for the folder around them where it shows them", () => {
  const told = "may read /etc/shadow: the passwords of this machine's accounts, as hashes";
  assertEquals(of({ read: ["/etc/shadow"] }), [told]);
  assertEquals(of({ read: ["/etc"] }), []);
  assertEquals(of({ read: ["/etc"] }, true), [
    "may read /etc/shadow, /etc/gshadow, /etc/master.passwd: the passwords of this machine's accounts, as hashes",
  ]);
});

Deno.test("dangerousEntries() has a line for a container runtime's socket, and where a cloud's keys are", () => {
  assertEquals(of({ net: ["unix:/var/run/docker.sock", "169.254.169.254:80"] }), [
    "may open /var/run/docker.sock: who may do that can do all on this machine",
    "reaches 169.254.169.254:80: where a machine in a cloud gets its keys",
  ]);
  assertEquals(of({ net: ["169.254.169.254", "unix:/run/user/1/bus"] }).length, 2);
});

Deno.test("dangerousEntries() has none for ordinary grants", () => {
  assertEquals(
    of({
      read: ["/work/ws", "/etc/hosts", "/usr"],
      write: ["/work/ws", "/work/ws/bin", "/home/u/notes", "/srv/data", "/tmp/skep-1/tmp"],
      net: [
        "api.example:443",
        "loopback:80",
        "unix:/run/postgres.sock",
        "169.254.169.2540.example",
      ],
    }),
    [],
  );
});
