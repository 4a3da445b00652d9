"""Confine the process that reads untrusted files, with Landlock and seccomp where available.

==========  ===========================  =========================================================
wall        needs                        what it keeps from the process
==========  ===========================  =========================================================
files       Linux 5.13 (Landlock)        every file but its libraries, the one to be read, and the
                                         folder for what it leaves
network     Linux on x86-64 or ARM64     sockets of any kind
programs    Linux on x86-64 or ARM64     starting another program, tracing another process or
                                         reading its memory, changing who may read a file
==========  ===========================  =========================================================

On macOS and Windows there is none of the three, and in a container whose system calls are filtered
there may be fewer. The limits of :mod:`zslcore.datasets.sandbox.calling` hold in any case.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import struct
import subprocess
import sys
from collections.abc import Sequence

#: What a wall keeps out.
WALLS = ("files", "network", "programs")

#: Numbers of the kernel: Landlock's calls, the same everywhere, and what prctl is asked.
CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS = 22, 38
#: Landlock: the rights of version 1, which later versions add one to each, and those of a reader.
RIGHTS = {1: 1 << 13, 2: 1 << 14, 3: 1 << 15, 4: 1 << 15}
RIGHTS_LATER = 1 << 16
READ_FILE, READ_FOLDER, WRITE_FILE, MAKE_FILE, REMOVE_FILE, TRUNCATE = (
    *(1 << 2, 1 << 3, 1 << 1),
    *(1 << 8, 1 << 5, 1 << 14),
)
MAKE_FOLDER, REMOVE_FOLDER = 1 << 7, 1 << 4
#: Machine -> its mark in a filter, and its numbers of socket, connect, execve, execveat and ptrace;
#: of reading and writing the memory of others; and of the calls that change who may read a file.
FILTERED = {
    "x86_64": (0xC000003E, (41, 42, 59, 322, 101, 310, 311, 90, 91, 268, 452)),
    "aarch64": (0xC00000B7, (198, 203, 221, 281, 117, 270, 271, 52, 53, 452)),
}
#: From here on are the numbers of x32, a second set of calls on x86-64.
X32 = 0x40000000


def shut(readable: Sequence[str], writable: Sequence[str]) -> tuple[str, ...]:
    """Confine this process for good, and return the walls that stand.

    ``readable`` may be read in addition to Python and its libraries; ``writable`` are folders.
    """
    if sys.platform != "linux":
        return ()
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0):
        return ()
    files = ("files",) if _shut_files(libc, readable, writable) else ()
    return (*files, "network", "programs") if _shut_calls(libc) else files


def walls() -> tuple[str, ...]:
    """Return the walls that this system can build, as a process that confines itself finds them.

    A system call filter, as of a container, may refuse what the kernel has.
    """
    code = f"from {__name__} import shut; print(*shut([], []))"
    done = subprocess.run(  # noqa: S603 - our own words
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )
    return tuple(done.stdout.split())


# --- Files ----------------------------------------------------------------------------------------


def _shut_files(libc: ctypes.CDLL, readable: Sequence[str], writable: Sequence[str]) -> bool:
    version = libc.syscall(CREATE_RULESET, None, ctypes.c_size_t(0), 1)
    if version < 1:
        return False
    handled = RIGHTS.get(version, RIGHTS_LATER) - 1
    asked = struct.pack("=Q", handled)
    rules = libc.syscall(CREATE_RULESET, asked, ctypes.c_size_t(len(asked)), 0)
    if rules < 0:
        return False
    try:
        for path in (*_libraries(), *readable):
            _allow(libc, rules, path, READ_FILE | READ_FOLDER, handled)
        for path in writable:
            rights = READ_FILE | READ_FOLDER | WRITE_FILE | MAKE_FILE | REMOVE_FILE | TRUNCATE
            rights |= MAKE_FOLDER | REMOVE_FOLDER
            _allow(libc, rules, path, rights, handled)
        return not libc.syscall(RESTRICT_SELF, rules, 0)
    finally:
        os.close(rules)


def _libraries() -> list[str]:
    """Return where Python and the libraries it loads lie, and what they ask about the processor."""
    places = {sys.prefix, sys.base_prefix, *filter(None, sys.path)}
    places |= {"/usr", "/lib", "/lib64", "/proc/cpuinfo", "/proc/self", "/sys/devices/system"}
    places |= {"/etc/ld.so.cache", "/etc/localtime", "/dev/urandom", "/dev/null"}
    return sorted(path for path in places if os.path.exists(path))


def _allow(libc: ctypes.CDLL, rules: int, path: str, rights: int, handled: int) -> None:
    if not os.path.isdir(path):
        rights &= ~(READ_FOLDER | MAKE_FILE | REMOVE_FILE)
    place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        rule = struct.pack("=Qi", rights & handled, place)
        libc.syscall(ADD_RULE, rules, 1, rule, 0)
    finally:
        os.close(place)


# --- Calls ----------------------------------------------------------------------------------------


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("code", ctypes.c_char_p))


def _shut_calls(libc: ctypes.CDLL) -> bool:
    machine = FILTERED.get(platform.machine())
    if machine is None or sys.maxsize < 2**32:
        return False
    mark, calls = machine
    load, equal, at_least, give = 0x20, 0x15, 0x35, 0x06
    allowed, refused = 0x7FFF0000, 0x00050000 | errno.EPERM
    # Calls of another machine, as 32-bit ones on x86-64, have other numbers: none is allowed.
    steps = [(load, 0, 0, 4), (equal, 1, 0, mark), (give, 0, 0, refused), (load, 0, 0, 0)]
    steps.append((at_least, len(calls) + 1, 0, X32))
    for k, call in enumerate(calls):  # a call that is meant jumps to the refusal at the end
        steps.append((equal, len(calls) - k, 0, call))
    steps += [(give, 0, 0, allowed), (give, 0, 0, refused)]
    code = b"".join(struct.pack("=HBBI", *step) for step in steps)
    program = _Program(len(steps), code)
    return not libc.prctl(PR_SET_SECCOMP, 2, ctypes.byref(program), 0, 0)
