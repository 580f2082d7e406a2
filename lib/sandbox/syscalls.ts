/** A processor that the filter knows. */
export type Arch = "x86_64" | "aarch64";

/** `AUDIT_ARCH_*` of linux/audit.h. */
export const AUDIT_ARCH: Readonly<Record<Arch, number>> = {
  x86_64: 0xc000003e,
  aarch64: 0xc00000b7,
};

/**
 * System calls that no MCP server has a use for and that reach past its grant: number on x86_64, on
 * aarch64 (absent: that processor has no such call), and what it would be good for.
 * From the kernel's own tables: arch/x86/entry/syscalls/syscall_64.tbl and include/uapi/asm-generic/unistd.h.
 */
export const FORBIDDEN: Readonly<
  Record<string, readonly [x86: number, arm: number | undefined, reason: string]>
> = {
  ptrace: [101, 117, "reads and steers other processes"],
  process_vm_readv: [310, 270, "reads other processes' memory"],
  process_vm_writev: [311, 271, "writes other processes' memory"],
  process_madvise: [440, 440, "works on other processes' memory"],
  process_mrelease: [448, 448, "works on other processes' memory"],
  kcmp: [312, 272, "compares other processes' resources"],
  pidfd_getfd: [438, 438, "takes other processes' descriptors"],
  mount: [165, 40, "changes what is visible"],
  umount2: [166, 39, "changes what is visible"],
  pivot_root: [155, 41, "changes what is visible"],
  chroot: [161, 51, "changes what is visible"],
  open_tree: [428, 428, "changes what is visible"],
  open_tree_attr: [467, 467, "changes what is visible"],
  move_mount: [429, 429, "changes what is visible"],
  fsopen: [430, 430, "changes what is visible"],
  fsconfig: [431, 431, "changes what is visible"],
  fsmount: [432, 432, "changes what is visible"],
  fspick: [433, 433, "changes what is visible"],
  mount_setattr: [442, 442, "changes what is visible"],
  unshare: [272, 97, "makes namespaces"],
  setns: [308, 268, "enters namespaces"],
  bpf: [321, 280, "loads code into the kernel"],
  perf_event_open: [298, 241, "watches the machine"],
  userfaultfd: [323, 282, "stalls the kernel on a page of one's own"],
  io_uring_setup: [425, 425, "does input and output past this filter"],
  io_uring_enter: [426, 426, "does input and output past this filter"],
  io_uring_register: [427, 427, "does input and output past this filter"],
  keyctl: [250, 219, "reads the kernel's keys"],
  add_key: [248, 217, "writes the kernel's keys"],
  request_key: [249, 218, "reads the kernel's keys"],
  kexec_load: [246, 104, "starts another kernel"],
  kexec_file_load: [320, 294, "starts another kernel"],
  reboot: [169, 142, "ends the machine"],
  init_module: [175, 105, "loads code into the kernel"],
  finit_module: [313, 273, "loads code into the kernel"],
  delete_module: [176, 106, "unloads code from the kernel"],
  swapon: [167, 224, "is the administrator's"],
  swapoff: [168, 225, "is the administrator's"],
  syslog: [103, 116, "reads the kernel's log"],
  acct: [163, 89, "is the administrator's"],
  quotactl: [179, 60, "is the administrator's"],
  quotactl_fd: [443, 443, "is the administrator's"],
  settimeofday: [164, 170, "sets the clock"],
  clock_settime: [227, 112, "sets the clock"],
  clock_adjtime: [305, 266, "sets the clock"],
  adjtimex: [159, 171, "sets the clock"],
  sethostname: [170, 161, "is the administrator's"],
  setdomainname: [171, 162, "is the administrator's"],
  open_by_handle_at: [304, 265, "opens files without their path"],
  name_to_handle_at: [303, 264, "names files without their path"],
  fanotify_init: [300, 262, "watches whole file systems"],
  migrate_pages: [256, 238, "works on other processes' memory"],
  move_pages: [279, 239, "works on other processes' memory"],
  lookup_dcookie: [212, 18, "is long gone"],
  vhangup: [153, 58, "ends the terminal's session"],
  iopl: [172, undefined, "reaches the hardware"],
  ioperm: [173, undefined, "reaches the hardware"],
  modify_ldt: [154, undefined, "makes segments, a source of kernel faults"],
  uselib: [134, undefined, "is long gone"],
  ustat: [136, undefined, "is long gone"],
  sysfs: [139, undefined, "is long gone"],
  create_module: [174, undefined, "is long gone"],
  nfsservctl: [180, 42, "is long gone"],
};

/**
 * The same where a server shares the machine's namespaces: these reach what is neither a file by its path
 * nor a process that Landlock knows.
 */
export const FORBIDDEN_IN_SHARED: typeof FORBIDDEN = {
  shmget: [29, 194, "shares memory with other programs"],
  shmat: [30, 196, "shares memory with other programs"],
  shmctl: [31, 195, "shares memory with other programs"],
  semget: [64, 190, "shares semaphores with other programs"],
  semop: [65, 193, "shares semaphores with other programs"],
  semtimedop: [220, 192, "shares semaphores with other programs"],
  semctl: [66, 191, "shares semaphores with other programs"],
  msgget: [68, 186, "shares queues with other programs"],
  msgsnd: [69, 189, "shares queues with other programs"],
  msgrcv: [70, 188, "shares queues with other programs"],
  msgctl: [71, 187, "shares queues with other programs"],
  mq_open: [240, 180, "shares queues with other programs"],
  mq_unlink: [241, 181, "shares queues with other programs"],
  truncate: [76, 45, "empties files, which Landlock knows since Linux 6.2"],
};

/** Calls that the filter looks into: number on x86_64 and aarch64. */
export const INSPECTED: Readonly<Record<string, readonly [x86: number, arm: number | undefined]>> =
  {
    socket: [41, 198],
    socketpair: [53, 199],
    clone: [56, 220],
    clone3: [435, 435],
    ioctl: [16, 29],
    chmod: [90, undefined],
    fchmod: [91, 52],
    fchmodat: [268, 53],
    fchmodat2: [452, 452],
    open: [2, undefined],
    creat: [85, undefined],
    mknod: [133, undefined],
    mknodat: [259, 33],
    openat: [257, 56],
    openat2: [437, 437],
    personality: [135, 92],
    prlimit64: [302, 261],
  };
