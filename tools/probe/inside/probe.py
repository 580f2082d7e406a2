"""The probe's Python: what a program that knows the system's calls could try.

Started as `python3 probe.py FOLDER`; see probe.js. Each attempt runs in a child of its own, so that
one that gets through changes nothing for the next.
"""

import ctypes
import json
import os
import platform
import pty
import signal
import socket
import sys

FOLDER = sys.argv[1]
with open(FOLDER + "/bait.json", encoding="utf-8") as file:
    BAIT = json.load(file)
with open(FOLDER + "/calls.json", encoding="utf-8") as file:
    TABLE = json.load(file)
IS_ARM = platform.machine() == "aarch64"
CANARIES = [text[::-1].encode() for text in BAIT["canariesReversed"]]
LIBC = ctypes.CDLL(None, use_errno=True)
WAIT_S = 0.4


class Skip(Exception):
    """An attempt that cannot be made here."""


def named(name):
    return "%s-%s" % (name, BAIT["unique"])


def attempt(expected, probe, run):
    """Runs one attempt in a child, and prints what came of it."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            detail = run()
            result = ["allowed", "it worked" if detail is None else str(detail)[:300]]
        except Skip as error:
            result = ["skipped", str(error)]
        except BaseException as error:  # whatever it is: it did not work
            result = ["denied", ("%s: %s" % (type(error).__name__, error))[:300]]
        os.write(writer, json.dumps(result).encode())
        os._exit(0)
    os.close(writer)
    text = b""
    while part := os.read(reader, 4096):
        text += part
    os.close(reader)
    _, status = os.waitpid(child, 0)
    died = ["denied", "it was ended by signal %d" % os.WTERMSIG(status)] if not text else None
    outcome, detail = died or json.loads(text)
    line = {"probe": probe, "expected": expected, "outcome": outcome, "detail": detail}
    print(json.dumps(line), flush=True)


def deny(probe, run):
    attempt("denied", probe, run)


def allow(probe, run):
    attempt("allowed", probe, run)


def read(path):
    with open(path, "rb") as opened:
        return opened.read(40)


def append(path):
    os.close(os.open(path, os.O_WRONLY | os.O_APPEND))


def create(path):
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL))
    os.unlink(path)


def swap(old, new):
    os.rename(old, new)
    os.rename(new, old)


def any_of(values, run):
    errors = []
    for value in values:
        try:
            run(value)
            return value
        except OSError as error:
            errors.append(str(error))
    if not errors:
        raise Skip("there is nothing of the kind here")
    raise OSError("; ".join(errors))


def files():
    secret, outside, meta = BAIT["secret"], BAIT["outside"], BAIT["meta"]

    def new_link():
        os.symlink(secret, named("link"))
        try:
            return read(named("link"))
        finally:
            os.unlink(named("link"))

    def hard_link():
        os.link(secret, named("hard"))
        os.unlink(named("hard"))

    deny("read-outside", lambda: read(secret))
    deny("read-dotdot", lambda: read("../secret.txt"))
    deny("read-old-link", lambda: read("link"))
    deny("read-new-link", new_link)
    deny("list-outside", lambda: os.listdir(outside))
    deny("stat-outside", lambda: os.stat(secret).st_size)
    deny("enter-outside", lambda: os.chdir(outside))
    deny("write-outside", lambda: append(secret))
    deny("write-old-link", lambda: append("link"))
    deny("create-outside", lambda: create(outside + "/" + named("new")))
    deny("hard-link", hard_link)
    deny("rename-in", lambda: swap(BAIT["movable"], named("moved")))
    deny("remove-outside", lambda: os.unlink(BAIT["removable"]))
    deny("chmod-outside", lambda: os.chmod(meta, 0o666))
    deny("chown-outside", lambda: os.chown(meta, BAIT["uid"], BAIT["gid"]))
    deny("utime-outside", lambda: os.utime(meta, (1, 1)))
    deny("xattr-outside", lambda: os.setxattr(meta, "user.probe", b"1"))
    deny("truncate-outside", lambda: os.truncate(meta, os.stat(meta).st_size))
    deny("read-deno-storage", lambda: read(BAIT["stored"]))
    deny("chmod-device", lambda: os.chmod("/dev/null", 0o666))
    deny("read-key", lambda: read(BAIT["key"]))
    deny("read-credentials", lambda: any_of(BAIT["credentials"], read))
    if BAIT["personal"]:
        deny("read-personal-file", lambda: any_of(BAIT["personal"], read))
    deny("read-other-server", lambda: read(BAIT["other"]))
    deny("read-shared-memory", lambda: read(BAIT["shm"]))
    deny("write-skep", lambda: any_of(BAIT["programs"], append))
    deny("write-run-files", lambda: any_of(BAIT["runFiles"], append))
    deny(
        "write-run-folders",
        lambda: any_of(BAIT["runFolders"], lambda folder: create(folder + "/" + named("new"))),
    )
    deny("write-deno-dir", lambda: create(BAIT["denoDir"] + "/" + named("new")))
    deny("settings-of-kernel", lambda: append("/proc/sys/kernel/core_pattern"))
    deny("write-sys", lambda: any_of(BAIT["sysFiles"], append))


def protected():
    def make(path):
        os.mkdir(path)
        os.rmdir(path)

    deny("protected-create .git/hooks", lambda: create(".git/hooks/" + named("new")))
    deny("protected-create .envrc", lambda: create(".envrc"))
    deny("protected-create .husky", lambda: make(".husky/" + named("new"))
         if os.path.exists(".husky") else make(".husky"))
    deny("protected-append .git/config", lambda: append(".git/config"))
    deny("protected-rename .git", lambda: swap(".git", named("git")))
    deny("protected-rename .vscode", lambda: swap(".vscode", named("vscode")))


def set_ids():
    def opened():
        os.close(os.open(named("id"), os.O_WRONLY | os.O_CREAT, 0o4755))
        has_set_id(named("id"))

    def changed():
        create_kept(named("id"))
        os.chmod(named("id"), 0o4755)
        has_set_id(named("id"))

    def made():
        os.mknod(named("id"), 0o104755)
        has_set_id(named("id"))

    def has_set_id(path):
        if not os.stat(path).st_mode & 0o6000:
            raise OSError("the bit was dropped")

    def capability():
        create_kept(named("id"))
        # struct vfs_cap_data, version 2, with every capability permitted
        value = bytes([1, 0, 0, 2]) + b"\xff" * 4 + bytes(4) + b"\xff" * 4 + bytes(4)
        os.setxattr(named("id"), "security.capability", value)

    def create_kept(path):
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT, 0o755))

    def device():
        os.mknod(named("device"), 0o60600, os.makedev(8, 0))

    for probe, run in (("set-id-open", opened), ("set-id-chmod", changed), ("set-id-mknod", made),
                       ("file-capability", capability), ("make-device", device)):
        deny(probe, run)
        for name in ("id", "device"):
            if os.path.lexists(named(name)):
                os.unlink(named(name))


def pids():
    return [name for name in os.listdir("/proc") if name.isdigit()]


def text_of(path):
    try:
        with open(path, "rb") as opened:
            return opened.read()
    except OSError:
        return b""  # it has ended, or is hidden


def victims():
    mark = BAIT["victimMark"].encode()
    found = [int(pid) for pid in pids() if mark in text_of("/proc/%s/cmdline" % pid)]
    if not found:
        raise OSError("there is no such process to be seen")
    return found


def processes():
    def scan(name):
        found = [pid for pid in pids() for canary in CANARIES
                 if canary in text_of("/proc/%s/%s" % (pid, name))]
        if not found:
            raise OSError("nothing of the kind")
        return found

    def foreign():
        found = [name for name in os.environ if name not in BAIT["variables"]]
        if not found:
            raise OSError("only what is granted is there")
        return found

    def descriptors():
        found = []
        for pid in pids():
            try:
                found += [os.readlink("/proc/%s/fd/%s" % (pid, name))
                          for name in os.listdir("/proc/%s/fd" % pid)]
            except OSError:
                continue  # another user's, or gone
        strange = [target for target in found if any(each in target for each in BAIT["hidden"])]
        if not strange:
            raise OSError("none leads outside")
        return strange

    def shared_memory():
        LIBC.shmat.restype = ctypes.c_void_p
        address = LIBC.shmat(BAIT["sharedMemory"], None, 0o10000)  # to read
        if address in (None, ctypes.c_void_p(-1).value):
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))

    deny("shared-memory-of-others", shared_memory)
    deny("environment", foreign)
    deny("proc-environ", lambda: scan("environ"))
    deny("proc-cmdline", lambda: scan("cmdline"))
    deny("proc-root", lambda: any_of(["/proc/%s/root%s" % (pid, BAIT["secret"]) for pid in pids()], read))
    deny("proc-mem", lambda: any_of(["/proc/%d/mem" % pid for pid in victims()],
                                    lambda path: os.close(os.open(path, os.O_RDWR))))
    deny("see-processes", victims)
    deny("signal-victim", lambda: any_of(victims(), lambda pid: os.kill(pid, 0)))
    deny("signal-runtime", lambda: os.kill(BAIT["runtimePid"], 0)
         if text_of("/proc/%d/cmdline" % BAIT["runtimePid"]) else os.kill(2 ** 30, 0))
    deny("inherited-descriptors", descriptors)


def sockets():
    def connect(family, address, kind=socket.SOCK_STREAM):
        with socket.socket(family, kind) as opened:
            opened.settimeout(WAIT_S)
            try:
                opened.connect(address)
            except socket.timeout:
                return "nobody refused it"
            opened.send(b"python")

    def by_pair(address):
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
        theirs.close()
        ours.sendto(b"python", address)

    def terminal():
        _, slave = pty.openpty()
        call(16, 29, [slave, 0x5412, "x"])

    deny("tcp-loopback", lambda: connect(socket.AF_INET, ("127.0.0.1", BAIT["tcpPort"])))
    deny("tcp-outside", lambda: connect(socket.AF_INET, ("192.0.2.1", 9)))
    deny("udp-loopback", lambda: connect(socket.AF_INET, ("127.0.0.1", BAIT["udpPort"]), socket.SOCK_DGRAM))
    deny("unix-socket-outside", lambda: connect(socket.AF_UNIX, BAIT["socket"]))
    deny("unix-socket-in-workspace", lambda: connect(socket.AF_UNIX, "socket"))
    deny("unix-socket-abstract", lambda: connect(socket.AF_UNIX, "\0" + BAIT["abstract"]))
    deny("unix-datagram", lambda: connect(socket.AF_UNIX, "datagrams", socket.SOCK_DGRAM))
    deny("unix-datagram-by-pair", lambda: by_pair("datagrams"))
    deny("abstract-datagram-by-pair", lambda: by_pair("\0" + BAIT["abstract"] + "-datagrams"))
    deny("type-into-terminal", terminal)


def call(x86, arm, given):
    number = arm if IS_ARM else x86
    if number is None:
        raise Skip("this processor has no such call")
    ctypes.set_errno(0)
    result = LIBC.syscall(ctypes.c_long(number), *[word(value) for value in given])
    errno = ctypes.get_errno()
    if result >= 0:
        return "it gave %d" % result
    if errno in TABLE["refusals"]:
        raise OSError(errno, os.strerror(errno))
    return "it reached the kernel: " + os.strerror(errno)


def word(value):
    if value == "$self":
        return ctypes.c_long(os.getpid())
    if value == "$victim":
        try:
            return ctypes.c_long(victims()[0])
        except OSError:
            return ctypes.c_long(2 ** 30)  # no process has this number
    if isinstance(value, int):
        return ctypes.c_long(value)
    return ctypes.create_string_buffer(value["zeros"]) if isinstance(value, dict) else value.encode()


def calls():
    for probe, x86, arm, given in TABLE["calls"]:
        deny(probe, lambda: call(x86, arm, given))

    def clone():
        number = 220 if IS_ARM else 56
        child = LIBC.syscall(ctypes.c_long(number), ctypes.c_long(0x10000000 | signal.SIGCHLD), 0, 0, 0, 0)
        if child == 0:
            os._exit(0)
        if child < 0:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))

    deny("clone-user-namespace", clone)


def granted():
    def loopback():
        with socket.socket() as listener:
            listener.bind(("127.0.0.1", 0))
            listener.listen()
            socket.create_connection(listener.getsockname()).close()

    (allow if BAIT["isReadable"] else deny)("read-workspace", lambda: read("inside.txt"))
    allow("write-private-folder", lambda: create(BAIT["tmp"] + "/" + named("new")))
    (allow if BAIT["isWritable"] else deny)("write-workspace", lambda: create(named("new")))
    (allow if BAIT["hasOwnNetwork"] else deny)("own-loopback", loopback)
    allow("start-program", lambda: os.posix_spawn("/bin/true", ["true"], os.environ))
    allow("stream-pair", lambda: [each.close() for each in socket.socketpair()] and None)
    if BAIT["backend"] != "landlock":
        allow("own-terminal", lambda: [os.close(each) for each in pty.openpty()] and None)


granted()
files()
protected()
set_ids()
processes()
sockets()
calls()
print(json.dumps({"done": True}))
