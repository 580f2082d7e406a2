import { assertEquals, assertStringIncludes } from "@std/assert";
import { type Backend, confined, type ConfineOptions } from "./backend.ts";
import type { Confinement } from "./confinement.ts";

const HELD: Confinement = {
  mounts: [{ type: "write", path: "/ws", isFolder: true }],
  network: "own",
  sockets: { internet: "tcp", unix: false },
  limits: { open_files: 9 },
  placeholders: [],
};
const COMMAND = {
  program: "/bin/x",
  args: ["a b"],
  cwd: "/ws",
  env: { TOKEN: "t0ken", PATH: "/x" },
};

function made(backend: Backend, held = HELD) {
  const options: ConfineOptions = {
    backend,
    arch: "x86_64",
    lifeline: "/life/line",
    folder: "/private",
    launcher: "/skep/tools/launch/main.js",
    deno: "/opt/deno",
    denoDir: "/home/u/.cache/deno",
    proxyStartS: 5,
  };
  const { command, files } = confined(COMMAND, held, options);
  return { command, files: files.map(({ path }) => path), args: command.args };
}

Deno.test("confined() starts a shell whose environment holds the server's, and no argument does", () => {
  for (const name of ["bwrap", "unshare", "landlock", "seatbelt"] as const) {
    const { command, args } = made({ name, program: `/usr/bin/${name}` });
    assertEquals([command.program, command.cwd, args[0]], ["/bin/sh", "/", "-c"]);
    assertEquals(command.env.SKEP_SERVER_ENVIRONMENT, "export TOKEN='t0ken'\nexport PATH='/x'");
    assertEquals([JSON.stringify(args).includes("t0ken"), command.env.PATH === "/x"], [
      false,
      false,
    ]);
  }
});

Deno.test("confined() behind bwrap takes what that has to start behind", () => {
  const { args, files } = made({
    name: "bwrap",
    program: "/usr/bin/bwrap",
    before: ["/usr/bin/unshare", "--mount"],
  });
  const from = args.indexOf("/usr/bin/unshare");
  assertEquals(args.slice(from, from + 4), [
    "/usr/bin/unshare",
    "--mount",
    "/usr/bin/bwrap",
    "--unshare-user",
  ]);
  assertEquals(files, ["/private/filter", "/private/empty"]);
});

Deno.test("confined() behind unshare and Landlock goes through the launcher, with a network of its own or not", () => {
  const unshare = made({ name: "unshare", program: "/usr/bin/unshare" });
  assertEquals(unshare.args.includes("--net"), true);
  assertEquals(unshare.args.slice(-2), ["/skep/tools/launch/main.js", "/private/plan.json"]);
  const shared = made({ name: "unshare", program: "/usr/bin/unshare" }, {
    ...HELD,
    network: "shared",
  });
  assertEquals(shared.args.includes("--net"), false);
  const landlock = made({ name: "landlock", program: "" });
  assertEquals([landlock.args.includes("/usr/bin/unshare"), landlock.files.length], [false, 3]);
});

Deno.test("confined() behind seatbelt writes a profile, and sets the limits inside", () => {
  const { args, files } = made({ name: "seatbelt", program: "/usr/bin/sandbox-exec" });
  assertEquals(files, ["/private/profile.sb"]);
  const from = args.indexOf("/usr/bin/sandbox-exec");
  assertEquals(args.slice(from, from + 5), [
    "/usr/bin/sandbox-exec",
    "-f",
    "/private/profile.sb",
    "/bin/sh",
    "-c",
  ]);
  assertStringIncludes(args[from + 5] ?? "", "ulimit -n 9");
  assertEquals(args.slice(-3), ["sh", "/bin/x", "a b"]);
});
