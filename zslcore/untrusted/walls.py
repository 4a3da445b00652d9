"""Confinement of the process that reads untrusted files, by Landlock and seccomp if available.

==========  ===========================  =========================================================
wall        needs                        access that it blocks
==========  ===========================  =========================================================
files       Linux 5.13 (Landlock)        files other than libraries, the files to be read, and the
                                         output folder
network     Linux on x86-64 or ARM64     sockets of any type
programs    Linux on x86-64 or ARM64     starting a program or process; signals, limits, priorities,
                                         memory and descriptors of other processes; memory that is
                                         not counted by limits; keys, queues, semaphores and
                                         namespaces of the system; permissions and attributes of
                                         files
==========  ===========================  =========================================================

A reader can still learn the size, times and link target of a file with a known path. macOS and
Windows have none of the walls, and a container that filters system calls may have fewer. The
limits of :mod:`zslcore.untrusted.worker` always apply. To keep a reader from raising them, it drops
the capabilities of an administrator, except for access to files of other users.
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
from pathlib import Path

#: Parent folder of the package: site-packages or a checkout. A checkout may contain secrets, also
#: in its Git history.
ROOT = Path(__file__).parents[2]
#: Files and folders that mark a folder among the libraries as a checkout.
CHECKOUT = (".git", "pyproject.toml", "setup.py")
#: Names of the walls, by the access that they block.
WALLS = ("files", "network", "programs")

#: Constants of the kernel: call numbers of Landlock, equal on all machines, and options of prctl.
CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS = 22, 38
#: Version of Landlock -> lowest bit above its rights (``RIGHTS_LATER`` for later versions); then
#: the bits of the rights that a reader needs.
RIGHTS = {1: 1 << 13, 2: 1 << 14, 3: 1 << 15, 4: 1 << 15}
RIGHTS_LATER = 1 << 16
READ_FILE, READ_FOLDER, WRITE_FILE, MAKE_FILE, REMOVE_FILE, TRUNCATE = (
    *(1 << 2, 1 << 3, 1 << 1),
    *(1 << 8, 1 << 5, 1 << 14),
)
MAKE_FOLDER, REMOVE_FOLDER = 1 << 7, 1 << 4
#: Machine -> its identifier in a filter.
MARKS = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
#: Refused call -> its numbers on x86-64 and on ARM64, which lacks older calls.
REFUSED_CALLS: dict[str, tuple[int, ...]] = {
    "socket": (41, 198),
    "socketpair": (53, 199),
    "connect": (42, 203),
    "io_uring_setup": (425, 425),  # can open sockets without the call "socket"
    "execve": (59, 221),
    "execveat": (322, 281),
    "fork": (57,),
    "vfork": (58,),
    "kill": (62, 129),
    "tkill": (200, 130),
    "tgkill": (234, 131),
    "rt_sigqueueinfo": (129, 138),
    "rt_tgsigqueueinfo": (297, 240),
    "pidfd_send_signal": (424, 424),
    "setpriority": (141, 140),
    "sched_setparam": (142, 118),
    "sched_setscheduler": (144, 119),
    "sched_setaffinity": (203, 122),
    "sched_setattr": (314, 274),
    "ioprio_set": (251, 30),
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "pidfd_getfd": (438, 438),
    "prctl": (157, 167),  # could let a worker outlive the process that started it
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "shmget": (29, 194),
    "shmat": (30, 196),
    "shmctl": (31, 195),
    "msgget": (68, 186),
    "msgsnd": (69, 189),
    "msgrcv": (70, 188),
    "msgctl": (71, 187),
    "semget": (64, 190),
    "semop": (65, 193),
    "semctl": (66, 191),
    "semtimedop": (220, 192),
    "mq_open": (240, 180),
    "mq_unlink": (241, 181),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "unshare": (272, 97),
    "setns": (308, 268),
    "userfaultfd": (323, 282),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "inotify_init1": (294, 26),  # reports the names of files in use
    "inotify_init": (253,),
    "fanotify_init": (300, 262),
    "truncate": (76, 45),  # takes a file name; Landlock covers it from Linux 6.2 on
    "chmod": (90,),
    "fchmod": (91, 52),
    "fchmodat": (268, 53),
    "fchmodat2": (452, 452),
    "chown": (92,),
    "fchown": (93, 55),
    "lchown": (94,),
    "fchownat": (260, 54),
    "setxattr": (188, 5),
    "lsetxattr": (189, 6),
    "fsetxattr": (190, 7),
    "setxattrat": (463, 463),
    "getxattr": (191, 8),
    "lgetxattr": (192, 9),
    "fgetxattr": (193, 10),
    "getxattrat": (464, 464),
    "listxattr": (194, 11),
    "llistxattr": (195, 12),
    "flistxattr": (196, 13),
    "listxattrat": (465, 465),
    "removexattr": (197, 14),
    "lremovexattr": (198, 15),
    "fremovexattr": (199, 16),
    "removexattrat": (466, 466),
    "file_setattr": (469, 469),
    "utime": (132,),
    "utimes": (235,),
    "futimesat": (261,),
    "utimensat": (280, 88),
}
#: Calls that are refused by an argument: call numbers, position of the argument, bits, and whether
#: the bits must be set or clear. clone may only start a thread, prlimit64 may only address the
#: calling process, fcntl may not choose a process for signals (F_SETOWN, F_SETOWN_EX; the bit also
#: refuses other commands that readers do not need), and ioctl may not pass a structure, such as
#: attributes of a file.
REFUSED_BY_ARGUMENT: dict[str, tuple[tuple[int, int], int, int, bool]] = {
    "clone": ((56, 220), 0, 0x10000, True),
    "prlimit64": ((302, 261), 0, 0xFFFFFFFF, False),
    "fcntl": ((72, 25), 1, 8, False),
    "ioctl": ((16, 29), 1, 0x40000000, False),
}
#: Number of clone3; filters cannot read its argument, so it is reported missing and libraries use
#: clone.
CLONE3 = 435
#: First call number of x32, a second set of calls on x86-64.
X32 = 0x40000000
#: Version of the interface to capabilities, and the capability to read and write files of other
#: users.
CAPABILITY_VERSION, CAP_DAC_OVERRIDE = 0x20080522, 1


def confine_process(readable: Sequence[str], writable: Sequence[str]) -> tuple[str, ...]:
    """Confine this process permanently; return the walls that are active.

    ``readable`` may be read in addition to Python and its libraries; ``writable`` are folders.
    """
    if sys.platform != "linux":
        return ()
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0):
        return ()
    _drop_capabilities(libc)
    files = ("files",) if _shut_files(libc, readable, writable) else ()
    return (*files, "network", "programs") if _shut_calls(libc) else files


def active_walls() -> tuple[str, ...]:
    """Return the walls of this system, by confining a test process.

    A container's filter of system calls may refuse walls that the kernel has.
    """
    code = f"from {__name__} import confine_process; print(*confine_process([], []))"
    process = subprocess.run(  # noqa: S603 - no text from outside
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )
    return tuple(process.stdout.split())


# --- Files ----------------------------------------------------------------------------------------


def _shut_files(libc: ctypes.CDLL, readable: Sequence[str], writable: Sequence[str]) -> bool:
    version = libc.syscall(CREATE_RULESET, None, ctypes.c_size_t(0), 1)
    if version < 1:
        return False
    handled = RIGHTS.get(version, RIGHTS_LATER) - 1
    attributes = struct.pack("=Q", handled)
    rules = libc.syscall(CREATE_RULESET, attributes, ctypes.c_size_t(len(attributes)), 0)
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
    """Return the folders of Python and its libraries, and system files that these read."""
    folders = {sys.prefix, sys.base_prefix, *filter(None, sys.path)}
    # A package may be installed from a checkout: only its modules are needed.
    checkouts = {path for path in folders if any(Path(path, name).exists() for name in CHECKOUT)}
    folders -= checkouts
    folders |= {
        str(path.parent) for checkout in checkouts for path in Path(checkout).glob("*/__init__.py")
    }
    if (ROOT / "pyproject.toml").exists():
        folders |= {str(ROOT / "zslcore"), str(ROOT / "data")}
    folders |= {"/usr", "/lib", "/lib64", "/proc/cpuinfo", "/sys/devices/system"}
    folders |= {"/proc/self/statm", "/proc/self/maps"}
    folders |= {"/etc/ld.so.cache", "/etc/localtime", "/dev/urandom", "/dev/null"}
    return sorted(path for path in folders if os.path.exists(path))


def _allow(libc: ctypes.CDLL, rules: int, path: str, rights: int, handled: int) -> None:
    if not os.path.isdir(path):
        rights &= ~(READ_FOLDER | MAKE_FILE | REMOVE_FILE)
    descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        rule = struct.pack("=Qi", rights & handled, descriptor)
        libc.syscall(ADD_RULE, rules, 1, rule, 0)
    finally:
        os.close(descriptor)


# --- Calls ----------------------------------------------------------------------------------------


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("code", ctypes.c_char_p))


def _drop_capabilities(libc: ctypes.CDLL) -> None:
    """Drop the capabilities of an administrator, except for access to files of other users."""
    header, capabilities = (
        struct.pack("=Ii", CAPABILITY_VERSION, 0),
        ctypes.create_string_buffer(24),
    )
    if libc.capget(header, capabilities):
        return
    effective, permitted, *_ = struct.unpack("=6I", capabilities.raw)
    kept_bits = permitted & 1 << CAP_DAC_OVERRIDE
    libc.capset(header, struct.pack("=6I", effective & kept_bits, kept_bits, 0, 0, 0, 0))


def _shut_calls(libc: ctypes.CDLL) -> bool:
    machine = platform.machine()
    if machine not in MARKS or sys.maxsize < 2**32:
        return False
    steps = _steps(MARKS[machine], column=list(MARKS).index(machine))
    code = b"".join(struct.pack("=HBBI", *step) for step in steps)
    program = _Program(len(steps), code)
    return not libc.prctl(PR_SET_SECCOMP, 2, ctypes.byref(program), 0, 0)


def _steps(mark: int, column: int) -> list[tuple[int, int, int, int]]:
    """Return the filter program of a machine; ``column`` is its column of call numbers."""
    load, equal, at_least, any_bit, ret = 0x20, 0x15, 0x35, 0x45, 0x06
    allowed, refused = 0x7FFF0000, 0x00050000 | errno.EPERM
    # Refuse calls for another machine, such as 32-bit calls on x86-64: their numbers differ.
    steps = [(load, 0, 0, 4), (equal, 1, 0, mark), (ret, 0, 0, refused), (load, 0, 0, 0)]
    steps += [(at_least, 0, 1, X32), (ret, 0, 0, refused)]
    steps += [(equal, 0, 1, CLONE3), (ret, 0, 0, 0x00050000 | errno.ENOSYS)]
    for numbers, argument, bits, needed in REFUSED_BY_ARGUMENT.values():
        steps += [(equal, 0, 4, numbers[column]), (load, 0, 0, 16 + 8 * argument)]
        steps += [(any_bit, int(not needed), int(needed), bits)]
        steps += [(ret, 0, 0, allowed), (ret, 0, 0, refused)]
    calls = [numbers[column] for numbers in REFUSED_CALLS.values() if column < len(numbers)]
    for k, call in enumerate(calls):  # a listed call jumps to the refusal at the end
        steps.append((equal, len(calls) - k, 0, call))
    return [*steps, (ret, 0, 0, allowed), (ret, 0, 0, refused)]
