// The confinement launcher: makes the process it runs in into what a plan says, then becomes the
// program to confine. Plain JavaScript without imports: it starts once per server, and its start is
// the server's. Run as `deno run --no-config --no-lock --no-remote --no-npm --allow-ffi
// --allow-read=PLAN --allow-env=SKEP_SERVER_ENVIRONMENT main.js PLAN`, where PLAN is a JSON file as lib/sandbox/launcher_plan.ts writes it:
//
//   newRoot    folder to build the visible files in; absent: the files stay as they are
//   mounts     what is visible there, in order
//   loopback   bring the loopback interface up
//   landlock   { paths: [{ path, access }] }, null for none
//   seccomp    the filter, as hexadecimal text of `struct sock_filter`s
//   emptyFile  a file with nothing in it, to lie over what is masked
//   cwd, program, args   what to become
//
// The program gets one variable, SKEP_SERVER_ENVIRONMENT, as the launcher got it.
//
// With --landlock-version in place of PLAN it only tells, by its exit code, whether there is Landlock.
// Inside `unshare` it is root of its own user namespace, and process 1 of its own process namespace.
// Whatever fails ends it with code 111 and one line on stderr: nothing is ever started half confined.

const isAsked = Deno.args[0] === "--landlock-version";
const plan = isAsked ? {} : JSON.parse(Deno.readTextFileSync(Deno.args[0]));
const isArm = Deno.build.arch === "aarch64";

const { symbols: libc } = Deno.dlopen("libc.so.6", {
  mkdir: { parameters: ["buffer", "u32"], result: "i32" },
  open: { parameters: ["buffer", "i32", "u32"], result: "i32" },
  close: { parameters: ["i32"], result: "i32" },
  symlink: { parameters: ["buffer", "buffer"], result: "i32" },
  mount: { parameters: ["buffer", "buffer", "buffer", "u64", "buffer"], result: "i32" },
  umount2: { parameters: ["buffer", "i32"], result: "i32" },
  chdir: { parameters: ["buffer"], result: "i32" },
  setsid: { parameters: [], result: "i32" },
  socket: { parameters: ["i32", "i32", "i32"], result: "i32" },
  ioctl: { parameters: ["i32", "u64", "buffer"], result: "i32" },
  prctl: { parameters: ["i32", "u64", "u64", "u64", "u64"], result: "i32" },
  execve: { parameters: ["buffer", "buffer", "buffer"], result: "i32" },
  syscall: { parameters: ["i64", "i64", "buffer", "i64", "buffer", "i64"], result: "i64" },
  __errno_location: { parameters: [], result: "pointer" },
});
// The same function with its arguments of other kinds.
const { symbols: other } = Deno.dlopen("libc.so.6", {
  pivot: {
    name: "syscall",
    parameters: ["i64", "buffer", "buffer"],
    result: "i64",
  },
  capset: { name: "syscall", parameters: ["i64", "buffer", "buffer"], result: "i64" },
  close_range: { name: "syscall", parameters: ["i64", "u32", "u32", "u32"], result: "i64" },
  landlock_create: { name: "syscall", parameters: ["i64", "buffer", "u64", "u32"], result: "i64" },
  landlock_add: {
    name: "syscall",
    parameters: ["i64", "i32", "u32", "buffer", "u32"],
    result: "i64",
  },
  landlock_restrict: { name: "syscall", parameters: ["i64", "i32", "u32"], result: "i64" },
  prctl_filter: { name: "prctl", parameters: ["i32", "u64", "buffer"], result: "i32" },
});

const NUMBERS = {
  pivot_root: isArm ? 41n : 155n,
  capset: isArm ? 91n : 126n,
  mount_setattr: 442n,
  close_range: 436n,
  landlock_create_ruleset: 444n,
  landlock_add_rule: 445n,
  landlock_restrict_self: 446n,
};

const encoder = new TextEncoder();
const text = (value) => encoder.encode(`${value}\0`);

function errno() {
  return new Deno.UnsafePointerView(libc.__errno_location()).getInt32();
}

function fail(what) {
  const line = `skep launcher: cannot ${what}: errno ${errno()}\n`;
  Deno.stderr.writeSync(encoder.encode(line));
  Deno.exit(111);
}

/** The result of a call that gives -1 when it failed. */
function must(result, what) {
  const number = Number(result);
  if (number < 0) fail(what);
  return number;
}

// Flags of mount(2) and mount_setattr(2).
const MS_BIND = 0x1000n,
  MS_REC = 0x4000n,
  MS_PRIVATE = 0x40000n,
  MS_NOSUID = 2n,
  MS_NODEV = 4n,
  MS_NOEXEC = 8n;
const ATTR_RDONLY = 1n, ATTR_NOSUID = 2n, ATTR_NODEV = 4n, NOTHING = 0n;
const AT_FDCWD = -100n, AT_RECURSIVE = 0x8000n;

function setAttributes(path, attributes, isRecursive) {
  const mountAttr = new BigUint64Array([attributes, NOTHING, 0n, 0n]);
  const flags = isRecursive ? AT_RECURSIVE : 0n;
  const bytes = new Uint8Array(mountAttr.buffer);
  must(
    libc.syscall(NUMBERS.mount_setattr, AT_FDCWD, text(path), flags, bytes, 32n),
    `restrict the mount ${path}`,
  );
}

function makeFolder(path, mode = 0o755) {
  const parts = path.split("/");
  for (let end = 2; end <= parts.length; end++) {
    libc.mkdir(text(parts.slice(0, end).join("/")), mode); // there already is as good
  }
}

function makeFile(path) {
  makeFolder(path.slice(0, path.lastIndexOf("/")));
  const O_CREAT = 0o100, O_NONBLOCK = 0o4000, O_CLOEXEC = 0o2000000;
  // What is there already may be a FIFO, whose writer nobody waits for.
  const descriptor = libc.open(text(path), O_CREAT | O_NONBLOCK | O_CLOEXEC, 0o644);
  if (descriptor >= 0) libc.close(descriptor);
}

function bind(source, target, isFolder) {
  if (isFolder) makeFolder(target);
  else makeFile(target);
  must(libc.mount(text(source), text(target), null, MS_BIND | MS_REC, null), `show ${source}`);
}

function mountNew(kind, target, flags, options, mode = 0o755) {
  makeFolder(target, mode);
  must(
    libc.mount(text(kind), text(target), text(kind), flags, text(options)),
    `mount ${kind} at ${target}`,
  );
}

const DEVICES = ["null", "zero", "full", "random", "urandom", "tty"];

const MOUNTS = {
  read(root, { path, source = path, isFolder }) {
    bind(source, root + path, isFolder);
    setAttributes(root + path, ATTR_RDONLY | ATTR_NOSUID | ATTR_NODEV, true);
  },
  write(root, { path, source = path, isFolder }) {
    bind(source, root + path, isFolder);
    setAttributes(root + path, ATTR_NOSUID | ATTR_NODEV, true);
  },
  folder(root, { path }) {
    return MOUNTS.mask(root, { path, isFolder: true });
  },
  link(root, { path, to }) {
    makeFolder((root + path).slice(0, (root + path).lastIndexOf("/")));
    must(libc.symlink(text(to), text(root + path)), `link ${path}`);
  },
  mask(root, { path, isFolder }) {
    if (!isFolder) {
      bind(plan.emptyFile, root + path, false);
    } else {
      mountNew("tmpfs", root + path, MS_NOSUID | MS_NODEV, "size=4096,mode=555");
    }
    return root + path; // read-only at the end: what is shown below it needs its place first
  },
  tmpfs(root, { path, bytes, mode }) {
    mountNew("tmpfs", root + path, MS_NOSUID | MS_NODEV, `size=${bytes},mode=${mode.toString(8)}`);
  },
  proc(root, { path }) {
    mountNew("proc", root + path, MS_NOSUID | MS_NODEV | MS_NOEXEC, "");
    // To the administrator the machine's own settings are writable there.
    setAttributes(root + path, ATTR_RDONLY, false);
  },
  dev(root, { path, bytes }) {
    mountNew("tmpfs", root + path, MS_NOSUID, "size=65536,mode=755");
    for (const name of DEVICES) {
      const device = `${root}${path}/${name}`;
      bind(`/dev/${name}`, device, false);
      setAttributes(device, ATTR_RDONLY | ATTR_NOSUID, false); // it works, its mode and owner stay
    }
    mountNew(
      "devpts",
      `${root}${path}/pts`,
      MS_NOSUID | MS_NOEXEC,
      "newinstance,ptmxmode=0666,mode=620",
    );
    mountNew("tmpfs", `${root}${path}/shm`, MS_NOSUID | MS_NODEV, `size=${bytes},mode=1777`);
    const links = {
      ptmx: "pts/ptmx",
      fd: "/proc/self/fd",
      stdin: "/proc/self/fd/0",
      stdout: "/proc/self/fd/1",
      stderr: "/proc/self/fd/2",
    };
    for (const [name, to] of Object.entries(links)) {
      libc.symlink(text(to), text(`${root}${path}/${name}`));
    }
    setAttributes(root + path, ATTR_RDONLY, false);
  },
};

/** Makes what the plan shows, and nothing else, the files of this process. */
function changeRoot({ newRoot, mounts }) {
  must(
    libc.mount(text("none"), text("/"), null, MS_REC | MS_PRIVATE, null),
    "make the mounts private",
  );
  must(
    libc.mount(
      text("tmpfs"),
      text(newRoot),
      text("tmpfs"),
      MS_NOSUID | MS_NODEV,
      text("size=1048576,mode=755"),
    ),
    "make a root",
  );
  const masks = mounts.map((mount) => MOUNTS[mount.type](newRoot, mount));
  for (const path of masks) if (path !== undefined) setAttributes(path, ATTR_RDONLY, false);
  makeFolder(`${newRoot}/.old`);
  must(other.pivot(NUMBERS.pivot_root, text(newRoot), text(`${newRoot}/.old`)), "change the root");
  must(libc.chdir(text("/")), "enter the root");
  const MNT_DETACH = 2;
  must(libc.umount2(text("/.old"), MNT_DETACH), "leave the old root");
  setAttributes("/", ATTR_RDONLY, false);
}

function raiseLoopback() {
  const AF_INET = 2, SOCK_DGRAM = 2, SIOCSIFFLAGS = 0x8914n, IFF_UP = 1;
  const descriptor = must(libc.socket(AF_INET, SOCK_DGRAM, 0), "open a socket");
  const request = new Uint8Array(40); // struct ifreq: name, then flags
  request.set(encoder.encode("lo"));
  request[16] = IFF_UP;
  must(libc.ioctl(descriptor, SIOCSIFFLAGS, request), "raise the loopback interface");
  libc.close(descriptor);
}

// Rights of Landlock by the version of its interface that brought them.
const LANDLOCK_FS = { execute: 1n, write: 2n, read: 4n, list: 8n };
const LANDLOCK_ALL_FS = [0x1fffn, 0x3fffn, 0x7fffn, 0x7fffn, 0xffffn]; // ABI 1, 2 (refer), 3 (truncate), 4, 5 (ioctl)
const FILE_RIGHTS = 1n | 2n | 4n | 0x4000n | 0x8000n;

function landlock({ paths }) {
  const abi = Number(other.landlock_create(NUMBERS.landlock_create_ruleset, null, 0n, 1));
  if (abi < 1) fail("use Landlock");
  const handled = LANDLOCK_ALL_FS[Math.min(abi, 5) - 1];
  const scoped = abi >= 6 ? 3n : 0n; // abstract sockets and signals stay inside
  const attributes = new BigUint64Array([handled, 0n, scoped]);
  const size = abi >= 6 ? 24n : abi >= 4 ? 16n : 8n;
  const ruleset = must(
    other.landlock_create(
      NUMBERS.landlock_create_ruleset,
      new Uint8Array(attributes.buffer),
      size,
      0,
    ),
    "make a Landlock ruleset",
  );
  const O_PATH = 0o10000000, O_CLOEXEC = 0o2000000, ENOENT = 2;
  const reading = LANDLOCK_FS.execute | LANDLOCK_FS.read | LANDLOCK_FS.list;
  for (const { path, access, isFolder } of paths) {
    const descriptor = libc.open(text(path), O_PATH | O_CLOEXEC, 0);
    // What is gone meanwhile, as other programs' files in Deno's cache may be, has nothing to be shown.
    if (descriptor < 0 && access === "read" && errno() === ENOENT) continue;
    if (descriptor < 0) fail(`open ${path}`);
    const wanted = access === "write" ? handled : reading;
    const rule = new Uint8Array(12);
    const view = new DataView(rule.buffer);
    view.setBigUint64(0, isFolder ? wanted & handled : wanted & handled & FILE_RIGHTS, true);
    view.setInt32(8, descriptor, true);
    must(other.landlock_add(NUMBERS.landlock_add_rule, ruleset, 1, rule, 0), `allow ${path}`);
    libc.close(descriptor);
  }
  return ruleset;
}

function prctl(option, a = 0, b = 0) {
  return libc.prctl(option, BigInt(a), BigInt(b), 0n, 0n);
}

function dropPrivileges() {
  const PR_CAPBSET_DROP = 24,
    PR_CAP_AMBIENT = 47,
    PR_CAP_AMBIENT_CLEAR_ALL = 4,
    PR_SET_NO_NEW_PRIVS = 38;
  for (let capability = 0; capability < 64; capability++) prctl(PR_CAPBSET_DROP, capability);
  prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL);
  const header = new Uint32Array([0x20080522, 0]); // version 3, this process
  must(
    other.capset(NUMBERS.capset, new Uint8Array(header.buffer), new Uint8Array(24)),
    "drop the capabilities",
  );
  must(prctl(PR_SET_NO_NEW_PRIVS, 1), "forbid new privileges");
}

function filterCalls(hex) {
  const bytes = Uint8Array.from(hex.match(/../g), (pair) => parseInt(pair, 16));
  const program = new Uint8Array(16); // struct sock_fprog: length, padding, pointer
  const view = new DataView(program.buffer);
  view.setUint16(0, bytes.length / 8, true);
  view.setBigUint64(8, Deno.UnsafePointer.value(Deno.UnsafePointer.of(bytes)), true);
  const PR_SET_SECCOMP = 22, SECCOMP_MODE_FILTER = 2n;
  must(other.prctl_filter(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, program), "filter system calls");
}

/** A `char *[]`: the texts' addresses and a null. The texts are returned as well, to stay alive. */
function pointers(texts) {
  const held = texts.map(text);
  const addresses = new BigUint64Array(held.length + 1);
  held.forEach((bytes, index) => {
    addresses[index] = Deno.UnsafePointer.value(Deno.UnsafePointer.of(bytes));
  });
  return { bytes: new Uint8Array(addresses.buffer), held };
}

if (isAsked) {
  if (Number(other.landlock_create(NUMBERS.landlock_create_ruleset, null, 0n, 1)) < 1) {
    fail("use Landlock");
  }
  Deno.exit(0);
}
if (plan.newRoot !== undefined) changeRoot(plan);
if (plan.loopback) raiseLoopback();
// In a process namespace of its own; elsewhere it would leave the group by which the runtime ends it.
if (plan.newRoot !== undefined) libc.setsid();
// All that the program must get is made before the filter is on: from then on, calls may fail.
const program = text(plan.program);
const args = pointers([plan.program, ...plan.args]);
const VARIABLE = "SKEP_SERVER_ENVIRONMENT";
const environment = pointers([`${VARIABLE}=${Deno.env.get(VARIABLE) ?? ""}`]);
const ruleset = plan.landlock === null ? undefined : landlock(plan.landlock);
if (libc.chdir(text(plan.cwd)) < 0) fail(`enter ${plan.cwd}`);
dropPrivileges();
if (ruleset !== undefined) {
  must(
    other.landlock_restrict(NUMBERS.landlock_restrict_self, ruleset, 0),
    "restrict with Landlock",
  );
}
const CLOSE_RANGE_CLOEXEC = 4;
other.close_range(NUMBERS.close_range, 3, 0xffffffff, CLOSE_RANGE_CLOEXEC); // an old kernel has no such call
filterCalls(plan.seccomp);
libc.execve(program, args.bytes, environment.bytes);
fail(`start ${plan.program}`);
