import { any, append, bait, canaries, deny, named, open } from "./attempt.js";
import { foreignVariables } from "./foreign_variables.js";

/** The kernel's own files, and the processes of others. */
export async function system() {
  await settings();
  await processes();
  await deny("environment", () => foreignVariables(Deno.env.toObject()));
  await deny("inherited-descriptors", strangeDescriptors);
}

async function settings() {
  const kernel = ["core_pattern", "hostname"].map((name) => `/proc/sys/kernel/${name}`);
  await deny("settings-of-kernel", () => any(kernel, append));
  await deny("write-sys", () => any(bait.sysFiles, append));
  await deny(
    "control-groups",
    () =>
      any(["/sys/fs/cgroup", "/sys/fs/cgroup/pids", "/sys/fs/cgroup/unified"], (group) => {
        Deno.mkdirSync(`${group}/${named("probe")}`);
        Deno.removeSync(`${group}/${named("probe")}`);
      }),
  );
  await deny("chmod-device", () => Deno.chmodSync("/dev/null", 0o666));
}

async function processes() {
  const each = (file) => () => any(pids(), (pid) => findCanary(`/proc/${pid}/${file}`));
  await deny("proc-environ", each("environ"));
  await deny("proc-cmdline", each("cmdline"));
  await deny("proc-root", () => any(pids(), (pid) => open(`/proc/${pid}/root${bait.secret}`)));
  await deny("proc-cwd", () => any(pids(), (pid) => open(`/proc/${pid}/cwd/../secret.txt`)));
  await deny("proc-mem", () => any(victims(), (pid) => open(`/proc/${pid}/mem`)));
  await deny("proc-maps", () => any(victims(), (pid) => open(`/proc/${pid}/maps`)));
  await deny("see-processes", () => victims());
  await deny("signal-victim", () => any(victims(), (pid) => Deno.kill(pid, "SIGCONT")));
  await deny("signal-runtime", () => {
    if (cmdline(bait.runtimePid) === "") throw new Error("there is no such process to be seen");
    Deno.kill(bait.runtimePid, "SIGCONT");
  });
}

function pids() {
  return [...Deno.readDirSync("/proc")].map(({ name }) => name)
    .filter((name) => /^\d+$/.test(name));
}

function findCanary(path) {
  const text = Deno.readTextFileSync(path);
  if (!canaries.some((each) => text.includes(each))) throw new Error("nothing of the kind");
}

/** Process ids of the victim. @throws when it cannot be seen. */
export function victims() {
  const found = pids().filter((pid) => cmdline(pid).includes(bait.victimMark)).map(Number);
  if (found.length === 0) throw new Error("there is no such process to be seen");
  return found;
}

function cmdline(pid) {
  try {
    return Deno.readTextFileSync(`/proc/${pid}/cmdline`);
  } catch {
    return ""; // it has ended, or is hidden
  }
}

/** Descriptors that lead to what the server does not get. @throws when there are none. */
function strangeDescriptors() {
  const found = [];
  for (const pid of ["self", ...pids()]) {
    for (const path of descriptors(pid)) {
      const target = targetOf(path);
      if (bait.hidden.some((each) => target.includes(each))) found.push(`${path}: ${target}`);
    }
  }
  if (found.length === 0) throw new Error("none leads outside");
  return found;
}

function descriptors(pid) {
  try {
    return [...Deno.readDirSync(`/proc/${pid}/fd`)].map(({ name }) => `/proc/${pid}/fd/${name}`);
  } catch {
    return []; // another user's, or gone
  }
}

function targetOf(path) {
  try {
    return Deno.readLinkSync(path);
  } catch {
    return ""; // it was closed meanwhile
  }
}
