import { assertEquals } from "@std/assert";
import { encode, type Instruction } from "./bpf.ts";
import { seccompFilter, type SocketRules } from "./seccomp.ts";
import { type Arch, AUDIT_ARCH, FORBIDDEN } from "./syscalls.ts";

const ALLOW = 0x7fff0000;
const KILL = 0x80000000;
const EPERM = 0x00050001;
const ENOSYS = 0x00050026;
const QUIET: SocketRules = { internet: "none", unix: false };

/** What the kernel would answer: an interpreter for the instructions that filters are made of. */
function answer(
  program: readonly Instruction[],
  number: number,
  args: readonly number[] = [],
  audit = AUDIT_ARCH.x86_64,
): number {
  const words = new Map([[0, number], [4, audit]]);
  args.forEach((arg, index) => words.set(16 + 8 * index, arg));
  let word = 0;
  for (let at = 0;; at++) {
    const { code, jt, jf, k } = program[at]!;
    if (code === 0x20) word = words.get(k) ?? 0;
    else if (code === 0x54) word = (word & k) >>> 0;
    else if (code === 0x15) at += word === k ? jt : jf;
    else if (code === 0x35) at += word >= k ? jt : jf;
    else if (code === 0x45) at += (word & k) !== 0 ? jt : jf;
    else if (code === 0x06) return k;
    else throw new Error(`unknown instruction ${code}`);
  }
}

function onX86(number: number, args: number[] = [], sockets = QUIET): number {
  return answer(seccompFilter("x86_64", sockets), number, args);
}

function onArm(number: number, args: number[] = [], sockets = QUIET): number {
  return answer(seccompFilter("aarch64", sockets), number, args, AUDIT_ARCH.aarch64);
}

Deno.test("seccompFilter() allows what programs live on", () => {
  const [read, write, mmap, execve, openat] = [0, 1, 9, 59, 257];
  for (const number of [read, write, mmap, execve]) assertEquals(onX86(number), ALLOW);
  assertEquals(onX86(openat, [0, 0, 0o102, 0o644]), ALLOW);
  assertEquals([63, 64, 222, 221].map((number) => onArm(number)), [ALLOW, ALLOW, ALLOW, ALLOW]);
});

Deno.test("seccompFilter() refuses every forbidden call, on both processors", () => {
  for (const [name, [x86, arm]] of Object.entries(FORBIDDEN)) {
    assertEquals([name, onX86(x86)], [name, EPERM]);
    if (arm !== undefined) assertEquals([name, onArm(arm)], [name, EPERM]);
  }
});

Deno.test("seccompFilter() ends a process that calls by another processor's numbers", () => {
  const AUDIT_ARCH_I386 = 0x40000003;
  assertEquals(answer(seccompFilter("x86_64", QUIET), 1, [], AUDIT_ARCH_I386), KILL);
  assertEquals(onX86(0x40000001), KILL);
});

Deno.test("seccompFilter() allows sockets as the rules say, and no others", () => {
  const [unix, inet, inet6, netlink, packet] = [1, 2, 10, 16, 17];
  const [stream, datagram, raw] = [1, 2, 3];
  const cloexec = 0o2000000;
  const ask = (domain: number, type: number, sockets: SocketRules) =>
    onX86(41, [domain, type], sockets) === ALLOW;
  const tcp: SocketRules = { internet: "tcp", unix: false };
  const both: SocketRules = { internet: "tcp_udp", unix: true };
  for (const domain of [unix, inet, inet6, netlink, packet]) {
    assertEquals(ask(domain, stream, QUIET), false);
  }
  assertEquals([ask(inet, stream, tcp), ask(inet6, stream | cloexec, tcp)], [true, true]);
  assertEquals([ask(inet, datagram, tcp), ask(inet, raw, tcp), ask(unix, stream, tcp)], [
    false,
    false,
    false,
  ]);
  assertEquals([ask(inet, datagram, both), ask(unix, datagram, both)], [true, true]);
  assertEquals([ask(inet, raw, both), ask(netlink, raw, both), ask(packet, raw, both)], [
    false,
    false,
    false,
  ]);
});

Deno.test("seccompFilter() refuses namespaces in clone, and sends clone3 to clone", () => {
  const [clone, clone3] = [56, 435];
  assertEquals(onX86(clone, [0x3d0f00]), ALLOW); // what pthread_create asks for
  assertEquals(onX86(clone, [0x01200011]), ALLOW); // what fork asks for
  for (
    const flag of [0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000]
  ) {
    assertEquals([flag, onX86(clone, [flag | 17])], [flag, EPERM]);
  }
  assertEquals(onX86(clone3), ENOSYS);
});

Deno.test("seccompFilter() refuses to type into a terminal, and allows other terminal calls", () => {
  const [ioctl, TIOCSTI, TIOCLINUX, TCGETS] = [16, 0x5412, 0x541c, 0x5401];
  assertEquals(onX86(ioctl, [0, TIOCSTI]), EPERM);
  assertEquals(onX86(ioctl, [0, TIOCLINUX]), EPERM);
  assertEquals(onX86(ioctl, [0, TCGETS]), ALLOW);
});

Deno.test("seccompFilter() refuses set-id bits however a file gets them", () => {
  const [open, creat, chmod, fchmod, openat, fchmodat, fchmodat2, openat2] = [
    2,
    85,
    90,
    91,
    257,
    268,
    452,
    437,
  ];
  for (const bit of [0o4755, 0o2755]) {
    assertEquals(onX86(chmod, [0, bit]), EPERM);
    assertEquals(onX86(fchmod, [0, bit]), EPERM);
    assertEquals(onX86(fchmodat, [0, 0, bit]), EPERM);
    assertEquals(onX86(fchmodat2, [0, 0, bit]), EPERM);
    assertEquals(onX86(creat, [0, bit]), EPERM);
    assertEquals(onX86(open, [0, 0o102, bit]), EPERM);
    assertEquals(onX86(openat, [0, 0, 0o102, bit]), EPERM);
  }
  assertEquals(onX86(chmod, [0, 0o755]), ALLOW);
  assertEquals(onX86(openat2), ENOSYS);
});

Deno.test("seccompFilter() refuses set-id bits of a file that is made as a node", () => {
  const [mknod, mknodat, armMknodat, S_IFREG] = [133, 259, 33, 0o100000];
  assertEquals(onX86(mknod, [0, S_IFREG | 0o4755]), EPERM);
  assertEquals(onX86(mknodat, [0, 0, S_IFREG | 0o2755]), EPERM);
  assertEquals(onArm(armMknodat, [0, 0, S_IFREG | 0o4755]), EPERM);
  assertEquals(onX86(mknodat, [0, 0, 0o010644]), ALLOW); // a FIFO
});

Deno.test("seccompFilter() refuses pairs that carry datagrams, whose ends could send to any socket", () => {
  const [socketpair, unix, inet, stream, datagram, sequenced] = [53, 1, 2, 1, 2, 5];
  const cloexec = 0o2000000;
  assertEquals(onX86(socketpair, [unix, stream | cloexec]), ALLOW);
  assertEquals(onX86(socketpair, [unix, sequenced]), ALLOW);
  assertEquals(onX86(socketpair, [unix, datagram | cloexec]), EPERM);
  assertEquals(onX86(socketpair, [inet, stream]), EPERM);
  assertEquals(onX86(socketpair, [unix, datagram], { internet: "none", unix: true }), ALLOW);
});

Deno.test("seccompFilter() lets a program see to its own limits alone", () => {
  const prlimit64 = 302;
  assertEquals([onX86(prlimit64, [0]), onX86(prlimit64, [4711])], [ALLOW, EPERM]);
});

Deno.test("seccompFilter() refuses what others can be reached by where namespaces are shared", () => {
  const [shmat, mq_open, truncate] = [30, 240, 76];
  for (const number of [shmat, mq_open, truncate]) {
    const shared = answer(seccompFilter("x86_64", QUIET, true), number);
    assertEquals([onX86(number), shared], [ALLOW, EPERM]);
  }
});

Deno.test("seccompFilter() refuses personalities that weaken a program, and lets one ask for its own", () => {
  const personality = 135;
  const ADDR_NO_RANDOMIZE = 0x0040000;
  assertEquals(onX86(personality, [ADDR_NO_RANDOMIZE]), EPERM);
  assertEquals(onX86(personality, [0]), ALLOW);
  assertEquals(onX86(personality, [0xffffffff]), ALLOW);
});

Deno.test("encode() writes struct sock_filter, and the kernel's bound on a program is kept", () => {
  assertEquals(encode([{ code: 0x15, jt: 1, jf: 2, k: 0xc000003e }]).toHex(), "150001023e0000c0");
  for (const arch of ["x86_64", "aarch64"] as Arch[]) {
    const length = seccompFilter(arch, { internet: "tcp_udp", unix: true }).length;
    assertEquals(length < 4096, true);
  }
});
