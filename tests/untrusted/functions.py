"""Functions that tests call in a confined process."""

import ctypes
import errno
import fcntl
import mmap
import os
import platform
import resource
import signal
import socket
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from zslcore.untrusted import walls, worker

IMPORTED_BY = os.getpid()


def goes(operation):
    try:
        operation()
    except (OSError, ValueError):
        return False
    return True


def looks_around(mine, secret, out):
    return {
        "mine": goes(lambda: open(mine).read()),
        "out": goes(lambda: (out / "x").write_text("x")),
        "files": goes(lambda: open(secret).read()),
        "links": goes(lambda: os.symlink(secret, out / "link")),
        "network": goes(socket.socket),
        "rights": goes(lambda: os.chmod(secret, 0o777)),
        "programs": goes(lambda: subprocess.run([sys.executable, "--version"])),
        "environment": dict(os.environ),
        "descriptors": [
            os.readlink(f"/proc/self/fd/{f}")
            for f in ("0", "1", "2", *map(str, range(3, 64)))
            if os.path.exists(f"/proc/self/fd/{f}")
        ],
        "core": resource.getrlimit(resource.RLIMIT_CORE)[0],
        "seconds": resource.getrlimit(resource.RLIMIT_CPU)[0],
        "size": resource.getrlimit(resource.RLIMIT_FSIZE)[1],
    }


def reaches_for_others(victim, secret, out):
    """Try attacks on other processes and files; return for each whether it succeeds."""
    libc, r = ctypes.CDLL(None, use_errno=True), os.pipe()[0]
    syscall, some = libc.syscall, ctypes.create_string_buffer(120)
    raised = (resource.RLIM_INFINITY,) * 2
    return {
        "fork": goes(lambda: os.fork() or os._exit(0)),
        "clone3": syscall(435, None, 0) < 0 and ctypes.get_errno() != errno.ENOSYS,
        "signal": goes(lambda: os.kill(victim, 0)),
        "signal by a descriptor": goes(
            lambda: signal.pidfd_send_signal(os.pidfd_open(victim), signal.SIGCONT)
        ),
        "signal of the kernel": goes(lambda: fcntl.fcntl(r, fcntl.F_SETOWN, victim)),
        "limits": goes(lambda: resource.prlimit(victim, resource.RLIMIT_CORE)),
        "limits of its own": goes(lambda: resource.setrlimit(resource.RLIMIT_FSIZE, raised)),
        "priority": goes(lambda: os.setpriority(os.PRIO_PROCESS, victim, 19)),
        "processors": goes(lambda: os.sched_setaffinity(victim, {0})),
        "descriptors": syscall(438, os.pidfd_open(victim), 1, 0) >= 0,
        "memory": goes(lambda: open(f"/proc/{victim}/mem", "rb")),
        "sockets of a ring": syscall(425, 8, some) >= 0,
        "a pair of sockets": goes(socket.socketpair),
        "memory of a file": goes(lambda: os.memfd_create("x")),
        "shared memory": libc.shmget(0, ctypes.c_size_t(4096), 0o1600) >= 0,
        "a file cut off": goes(lambda: os.truncate(secret, 0)),
        "owner": goes(lambda: os.chown(secret, -1, os.getgid())),
        "attributes": goes(lambda: os.setxattr(secret, "user.x", b"1")),
        "attributes read": goes(lambda: os.getxattr(secret, "user.kept")),
        "names of attributes": goes(lambda: os.listxattr(secret)),
        "attributes removed": goes(lambda: os.removexattr(secret, "user.kept")),
        "names of files in use": libc.inotify_init() >= 0,
        "an end after its server": libc.prctl(1, 0, 0, 0, 0) == 0,
        "name spaces": libc.unshare(0x10000000) == 0,
        "semaphores": libc.semget(0, 1, 0o1600) >= 0,
        "memory shared by others": libc.shmctl(0, 14, some) >= 0,  # SHM_INFO
        "keys": syscall(_number("keyctl"), 0, -3, 1) >= 0,
        "faults of pages": syscall(_number("userfaultfd"), 1) >= 0,
        "flags of a file": goes(
            lambda: fcntl.ioctl(open(out / "flags", "w"), 0x40086602, b"\x40" + bytes(7))
        ),
        "time": goes(lambda: os.utime(secret, (1, 1))),
        "a link": goes(lambda: os.link(secret, out / "link")),
        "a pipe with a name": goes(lambda: os.mkfifo(out / "fifo")),
        "the checkout": goes(lambda: os.listdir(worker.ROOT)),
        "its history": goes(lambda: open(worker.ROOT / "README.md")),
        "connections": goes(lambda: open("/proc/self/net/tcp")),
        "terminal": goes(lambda: open("/dev/tty")),
        "what an administrator may": goes(lambda: os.chroot(out)),
    }


def _number(name):
    return walls.REFUSED_CALLS[name][list(walls.MARKS).index(platform.machine())]


def fills(n_files, size, out):
    for k in range(n_files):
        with open(out / str(k), "wb") as file:
            file.truncate(size)
    return n_files


def nests(depth, out):
    os.chdir(out)
    for _ in range(depth):
        os.mkdir("d")
        os.chdir("d")
    os.mkdir("closed", 0)


def starts_a_thread(out):
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(os.getpid).result() == os.getpid()


def says_often(text, times, seconds, out):
    sys.stdout.write(text * times)
    sys.stdout.flush()
    time.sleep(seconds)
    os._exit(0)


def calls_with_32_bits(out):
    """Return the result of getpid by its i386 number, which x86-64 still accepts."""
    page = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    page.write(b"\x53\xb8\x14\x00\x00\x00\x31\xdb\xcd\x80\x5b\xc3")
    start = ctypes.addressof(ctypes.c_char.from_buffer(page))
    return ctypes.CFUNCTYPE(ctypes.c_int)(start)()


def leaves_pid(seconds, out):
    (out / "pid").write_text(f"{os.getpid()} {os.getppid()}")
    worker.report_progress(share=0.25)
    time.sleep(seconds)


def dies(out):
    ctypes.string_at(0)


def computes(out):
    while True:
        pass


def sleeps(seconds, out):
    time.sleep(seconds)


def eats(size, out):
    return len(np.ones(size, np.uint8))


def eats_before_it_is_allowed(out):
    worker.import_libraries()
    return eats(500 << 20, out)


def parent(out):
    return os.getppid()


def names_of_modules(out):
    return list(sys.modules)


def who_imported(out):
    return [IMPORTED_BY, os.getppid()]


def waits_once(out):
    if not (out / "pid").exists():
        leaves_pid(600, out)
    return os.getppid()


def writes(text, out):
    sys.stdout.write(text)
    sys.stdout.flush()
    os._exit(0)


def gives_lists(n, out):
    return [[]] * n


def fails(out):
    raise KeyError
