"""What tests call in a confined process."""

import ctypes
import mmap
import os
import resource
import signal
import socket
import subprocess
import sys
import time

import numpy as np

from zslcore.datasets.sandbox import calling


def goes(what):
    try:
        what()
    except OSError:
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


def calls_with_32_bits(out):
    """Return what getpid gives by its number on i386, which x86-64 still answers."""
    page = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    page.write(b"\x53\xb8\x14\x00\x00\x00\x31\xdb\xcd\x80\x5b\xc3")
    start = ctypes.addressof(ctypes.c_char.from_buffer(page))
    return ctypes.CFUNCTYPE(ctypes.c_int)(start)()


def leaves_pid(seconds, out):
    (out / "pid").write_text(f"{os.getpid()} {os.getppid()}")
    calling.tell(share=0.25)
    time.sleep(seconds)


def dies(out):
    os.kill(os.getpid(), signal.SIGSEGV)


def eats(size, out):
    return len(np.ones(size, np.uint8))


def eats_before_it_is_allowed(out):
    calling.begin()
    return eats(500 << 20, out)


def parent(out):
    return os.getppid()


def ends_the_server_once(out):
    if not (out / "once").exists():
        (out / "once").touch()
        os.kill(os.getppid(), signal.SIGKILL)
        signal.pause()
    return os.getppid()


def writes(text, out):
    sys.stdout.write(text)
    sys.stdout.flush()
    os._exit(0)


def fails(out):
    raise KeyError
