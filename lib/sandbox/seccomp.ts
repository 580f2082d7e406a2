import { and, ifAnyBit, ifAtLeast, ifEqual, type Instruction, load, verdict } from "./bpf.ts";
import { type Arch, AUDIT_ARCH, FORBIDDEN, FORBIDDEN_IN_SHARED, INSPECTED } from "./syscalls.ts";

/** What a server may open sockets for. */
export interface SocketRules {
  /** Internet sockets: none, TCP alone, or TCP and UDP. */
  readonly internet: "none" | "tcp" | "tcp_udp";
  /**
   * Unix sockets: those that the server's files show, as one in its workspace that a program of the
   * person's listens on, and abstract ones, which belong to the network namespace and so are its own
   * where that is. A filter cannot read paths. The socket of skep's network proxy is reached this way.
   */
  readonly unix: boolean;
}

// `struct seccomp_data`: the call's number, the processor, then the arguments, 8 bytes each.
const NUMBER = 0;
const ARCH = 4;
const argument = (index: number) => 16 + 8 * index;

// Verdicts of linux/seccomp.h; an errno stands in the low 16 bits.
const ALLOW = 0x7fff0000;
const KILL = 0x80000000;
const fail = (errno: number) => 0x00050000 | errno;
const EPERM = 1;
const ENOSYS = 38;

const AF_UNIX = 1;
const AF_INET = 2;
const AF_INET6 = 10;
const SOCK_STREAM = 1;
const SOCK_DGRAM = 2;
const SOCK_TYPE_BITS = 0xf;
const CLONE_NEW_ANY = 0x7e020080; // NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET, NEWTIME
const TIOCSTI = 0x5412;
const TIOCLINUX = 0x541c;
const SET_ID_BITS = 0o6000;
const FIRST_X32_NUMBER = 0x40000000;

/**
 * The seccomp filter: everything is allowed but what reaches past a grant. Forbidden calls fail with
 * EPERM, since programs probe for them; `clone3` and `openat2` fail with ENOSYS, since their flags lie
 * in memory that a filter cannot read and every libc then takes the older call. A call of another
 * processor's numbering ends the process.
 *
 * @param isShared True where the server shares the machine's namespaces.
 * @see Kernel documentation, "Seccomp BPF": https://docs.kernel.org/userspace-api/seccomp_filter.html
 */
export function seccompFilter(
  arch: Arch,
  sockets: SocketRules,
  isShared = false,
): Instruction[] {
  const column = arch === "x86_64" ? 0 : 1;
  const numbers = (table: typeof INSPECTED, name: string) => table[name]?.[column];
  const inspected = (name: string, body: readonly Instruction[]): Instruction[] => {
    const number = numbers(INSPECTED, name);
    return number === undefined ? [] : onCall(number, body);
  };
  return [
    load(ARCH),
    ifEqual(AUDIT_ARCH[arch], 1, 0),
    verdict(KILL),
    load(NUMBER),
    ...(arch === "x86_64" ? [ifAtLeast(FIRST_X32_NUMBER, 0, 1), verdict(KILL)] : []),
    ...inspected("socket", socketRules(sockets)),
    ...inspected("socketpair", pairRules(sockets)),
    ...inspected("clone", denyBits(0, CLONE_NEW_ANY)),
    ...inspected("clone3", [verdict(fail(ENOSYS))]),
    ...inspected("ioctl", [
      load(argument(1)),
      ifEqual(TIOCSTI, 1, 0),
      ifEqual(TIOCLINUX, 0, 1),
      verdict(fail(EPERM)),
      verdict(ALLOW),
    ]),
    ...inspected("chmod", denyBits(1, SET_ID_BITS)),
    ...inspected("fchmod", denyBits(1, SET_ID_BITS)),
    ...inspected("fchmodat", denyBits(2, SET_ID_BITS)),
    ...inspected("fchmodat2", denyBits(2, SET_ID_BITS)),
    ...inspected("open", denyBits(2, SET_ID_BITS)),
    ...inspected("creat", denyBits(1, SET_ID_BITS)),
    ...inspected("mknod", denyBits(1, SET_ID_BITS)),
    ...inspected("mknodat", denyBits(2, SET_ID_BITS)),
    ...inspected("openat", denyBits(3, SET_ID_BITS)),
    ...inspected("openat2", [verdict(fail(ENOSYS))]),
    ...inspected("personality", [
      load(argument(0)),
      ifEqual(0, 1, 0),
      ifEqual(0xffffffff, 0, 1),
      verdict(ALLOW),
      verdict(fail(EPERM)),
    ]),
    // Its own limits alone: those of others may be lowered until they end.
    ...inspected("prlimit64", [
      load(argument(0)),
      ifEqual(0, 0, 1),
      verdict(ALLOW),
      verdict(fail(EPERM)),
    ]),
    ...Object.values({ ...FORBIDDEN, ...(isShared ? FORBIDDEN_IN_SHARED : {}) }).flatMap(
      (entry) => {
        const number = entry[column];
        return typeof number === "number" ? onCall(number, [verdict(fail(EPERM))]) : [];
      },
    ),
    verdict(ALLOW),
  ];
}

/** Runs `body`, which ends in a verdict, for one call; the number stays loaded for the next comparison. */
function onCall(number: number, body: readonly Instruction[]): Instruction[] {
  return [ifEqual(number, 0, body.length), ...body];
}

/** Fails a call whose argument has any of these bits. */
function denyBits(index: number, bits: number): Instruction[] {
  return [load(argument(index)), ifAnyBit(bits, 0, 1), verdict(fail(EPERM)), verdict(ALLOW)];
}

function socketRules({ internet, unix }: SocketRules): Instruction[] {
  const types = internet === "none"
    ? []
    : internet === "tcp"
    ? [SOCK_STREAM]
    : [SOCK_STREAM, SOCK_DGRAM];
  const byType = [
    load(argument(1)),
    and(SOCK_TYPE_BITS),
    ...types.flatMap((type) => [ifEqual(type, 0, 1), verdict(ALLOW)]),
    verdict(fail(EPERM)),
  ];
  return [
    load(argument(0)),
    ...(unix ? [ifEqual(AF_UNIX, 0, 1), verdict(ALLOW)] : []),
    ifEqual(AF_INET, 2, 0),
    ifEqual(AF_INET6, 1, 0),
    verdict(fail(EPERM)),
    ...byType,
  ];
}

/** A pair is harmless, but for one that carries datagrams: each of its ends can send to any other socket. */
function pairRules({ unix }: SocketRules): Instruction[] {
  return [
    load(argument(0)),
    ifEqual(AF_UNIX, 1, 0),
    verdict(fail(EPERM)),
    ...(unix ? [] : [
      load(argument(1)),
      and(SOCK_TYPE_BITS),
      ifEqual(SOCK_DGRAM, 0, 1),
      verdict(fail(EPERM)),
    ]),
    verdict(ALLOW),
  ];
}
