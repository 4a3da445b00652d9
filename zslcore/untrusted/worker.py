"""Calls of functions on untrusted files, in a confined worker process.

The process has the limits set by the caller and the walls of :mod:`zslcore.untrusted.walls`; of the
caller's environment variables, it inherits only :data:`INHERITED_VARIABLES`. A hostile file may
take it over, so the caller checks the returned JSON. On Linux a fork server imports the module of
the function and forks a worker within milliseconds; on other systems every worker is a new process
that imports the module.
"""

from __future__ import annotations

import atexit
import ctypes
import gc
import importlib
import json
import math
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import cache
from pathlib import Path
from typing import IO, Any, NoReturn

from zslcore.untrusted.walls import ROOT, confine_process

if sys.platform != "win32":  # on Windows, only the caller's time limit applies
    import resource

#: Variables that a worker inherits from the server: paths of libraries and the locale, no secrets.
INHERITED_VARIABLES = (
    "LD_LIBRARY_PATH",
    "DYLD_LIBRARY_PATH",
    "PYTHONHOME",
    "SYSTEMROOT",
    "LANG",
    "LC_ALL",
)
#: Seconds between two checks of a worker.
CHECK_INTERVAL = 0.1
#: Elapsed seconds allowed per second of CPU time, since a worker waits on a busy machine.
PATIENCE = 40
#: Bytes that any worker may use beyond its libraries.
SPARE = 128 << 20
#: Bytes for listing the variables of a file: SciPy inflates up to 128 MiB.
OPENING = 256 << 20
#: Maximum size of an answer in bytes.
MAX_ANSWER = 64 << 20
#: Limits in bytes, since JSON of 1 MB can take 25 MB of the caller's memory. An answer may have
#: ANSWER bytes, and ANSWER_PER_BYTE more per byte of the file. LAST_LINE limits the last line, from
#: which progress is read.
ANSWER, ANSWER_PER_BYTE, LAST_LINE = 4 << 20, 8, 1 << 12
#: Maximum number of lists, objects and names in an answer: an empty list takes 56 bytes of the
#: caller's memory.
MAX_PARTS = 1 << 21
#: Maximum number of files and folders that a worker may leave.
MAX_FILES = 1 << 14
#: Free bytes on a disk below which a failure counts as a full disk.
ROOM = 1 << 16
PR_SET_PDEATHSIG = 1

#: Function called several times a second with the share of a file read so far; an exception ends
#: the call.
Watcher = Callable[[float], None]
_WATCHER: ContextVar[Watcher | None] = ContextVar("watcher", default=None)
#: Whether this process is a worker, which calls functions directly, and its initial memory in
#: bytes.
_confined, _base = False, 0
#: Name of the variable that this worker is reading.
_reading = ""


class Refused(Exception):  # noqa: N818 - a sentence on a file, not a fault of the program
    """Refusal of a file in one sentence; ``where`` is the place in the file, such as "line 3"."""

    def __init__(self, sentence: str, where: str = "") -> None:
        super().__init__(sentence)
        self.where = where


@contextmanager
def watch_calls(watcher: Watcher) -> Iterator[None]:
    """Report the progress of every call in this block to ``watcher``."""
    token = _WATCHER.set(watcher)
    try:
        yield
    finally:
        _WATCHER.reset(token)


def call(
    function: Callable[..., Any],
    *args: Any,
    files: Sequence[Path],
    out: Path,
    memory: int,
    seconds: int,
    written: int | None = None,
    memory_message: str = "needs more memory than its declared size explains",
    damage_message: str = "expected a complete file; got a damaged or truncated one",
) -> Any:
    """Call ``function(*args, out)`` in a confined process.

    ``args`` must be JSON values. The process may read ``files`` and write into the folder ``out``.
    ``memory`` limits the bytes of the process beyond its libraries, ``seconds`` its CPU time,
    and ``written`` the bytes of each file that it writes; all its files together may have twice as
    many. ``memory_message`` is the message for a lack of memory, ``damage_message`` for any other
    exception. Raises Refused, also if the process ends without an answer.
    """
    request = {
        "function": [function.__module__, function.__qualname__],
        "args": args,
        "files": [str(path.resolve()) for path in files],
        "out": str(out.resolve()),
        "memory": memory,
        "seconds": seconds,
        "written": memory if written is None else written,
        "memory_message": memory_message,
        "damage_message": damage_message,
        "answer": min(MAX_ANSWER, ANSWER + ANSWER_PER_BYTE * sum(_size(path) for path in files)),
    }
    if _confined:
        return _call_directly(request)
    start = time.monotonic()
    last, ended = _run(request)
    if "done" in last:
        return last["done"]
    if shutil.disk_usage(out).free < ROOM:
        raise Refused("expected free disk space for its contents; got none")
    sentence = "the file is damaged or hostile and crashed its reader, or the reader was stopped"
    if time.monotonic() - start >= seconds:
        sentence = f"took more than {seconds} s of CPU time, the limit for a file of this size"
    if not ended:
        waited = f"{PATIENCE * seconds:,.0f} s"
        sentence = f"not read within {waited} because this machine is busy; try again later"
    if "refused" in last:
        raise Refused(str(last["refused"]), str(last.get("where", "")))
    raise Refused(sentence, _variable(last.get("reading")))


def report_progress(**line: object) -> None:
    """Tell the caller which variable it is ``reading``, or the ``share`` read so far."""
    global _reading
    _reading = str(line.get("reading", _reading))
    _write(json.dumps(line))


def import_libraries(*libraries: str) -> None:
    """Import libraries, then limit memory to the needs of opening a file.

    :func:`raise_memory_limit` adds memory for values.
    """
    global _base
    for name in libraries:
        importlib.import_module(name)
    _base = _mapped_bytes() + SPARE
    raise_memory_limit(0)


def raise_memory_limit(memory: int) -> None:
    """Allow ``memory`` bytes for values beyond those for opening, up to the caller's limit."""
    _limit("RLIMIT_AS", _base + OPENING + memory, hard=False)


# --- The caller's side ----------------------------------------------------------------------------


class _SpawnedWorker:
    def __init__(self, module: str, request: IO[bytes], answer: IO[bytes]) -> None:
        self.process = _python(stdin=request, stdout=answer)

    def has_ended(self, seconds: float) -> bool:
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(seconds)
        return self.process.returncode is not None

    def end(self) -> None:
        self.process.kill()
        self.process.wait()


class _ForkedWorker:
    def __init__(self, module: str, request: IO[bytes], answer: IO[bytes]) -> None:
        control = _fork_server()
        socket.send_fds(control, [module.encode()], [request.fileno(), answer.fileno()])
        _, (self.descriptor,), *_ = socket.recv_fds(control, 1, 1)

    def has_ended(self, seconds: float) -> bool:
        return bool(select.select([self.descriptor], [], [], seconds)[0])

    def end(self) -> None:
        with suppress(ProcessLookupError):
            signal.pidfd_send_signal(self.descriptor, signal.SIGKILL)
        self.has_ended(10)
        os.close(self.descriptor)


_LOCK = threading.Lock()
#: Process id -> fork server; a process forked from this one starts another server.
_servers: dict[int, tuple[subprocess.Popen[bytes], socket.socket]] = {}


def _fork_server() -> socket.socket:
    """Return the socket of the fork server; start the server if none is running."""
    server = _servers.get(os.getpid())
    if server is not None and server[0].poll() is not None:
        server[1].close()
        server = None
    if server is None:
        own_end, server_end = socket.socketpair(type=socket.SOCK_SEQPACKET)
        with server_end:
            descriptor = server_end.fileno()
            process = _python(str(descriptor), pass_fds=[descriptor])
        server = _servers[os.getpid()] = process, own_end
    return server[1]


@atexit.register
def _end_server() -> None:
    if server := _servers.pop(os.getpid(), None):
        server[1].close()  # ends the server and its workers
        with suppress(subprocess.TimeoutExpired):
            server[0].wait(10)
        server[0].kill()
        server[0].wait()


def _python(*words: str, **options: Any) -> subprocess.Popen[Any]:
    """Start this module with one thread, without HDF5 locks or plug-ins."""
    environment = {name: os.environ[name] for name in INHERITED_VARIABLES if name in os.environ}
    environment |= {"PYTHONPATH": str(ROOT), "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    environment |= {"HDF5_USE_FILE_LOCKING": "FALSE", "HDF5_PLUGIN_PRELOAD": "::"}
    environment |= {"ARROW_DEFAULT_MEMORY_POOL": "system"}  # Arrow's own pool reserves far more
    # A background thread does not survive a fork.
    environment |= {"JE_ARROW_MALLOC_CONF": "background_thread:false"}
    no_streams = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.DEVNULL)
    command = [sys.executable, "-P", "-W", "ignore", "-m", __name__, *words]
    return subprocess.Popen(command, env=environment, **(no_streams | options))  # noqa: S603 - ours


def warm_up(*modules: str) -> None:
    """Start the fork server and import modules in it, before the first file."""
    if _can_fork() and not _confined:
        with _LOCK, suppress(OSError):
            control = _fork_server()
            for module in modules:
                control.send(module.encode())


@cache
def _can_fork() -> bool:
    try:
        os.close(os.pidfd_open(os.getpid()))
    except (AttributeError, OSError):
        return False
    return True


def _size(path: Path) -> int:
    with suppress(OSError):
        return path.stat().st_size
    return 0


def _run(request: Mapping[str, Any]) -> tuple[dict[str, Any], bool]:
    """Run a worker; return its last line, and whether it ended by itself."""
    # The answer is a file, not a pipe, so that the limit on file sizes applies to it.
    out = Path(request["out"])
    limit = _bytes_in(out) + 2 * request["written"]
    with tempfile.TemporaryFile() as request_file, tempfile.TemporaryFile() as answer:
        request_file.write(json.dumps(request).encode())
        request_file.seek(0)
        worker = _start_worker(request["function"][0], request_file, answer)
        end, watcher = time.monotonic() + PATIENCE * request["seconds"], _WATCHER.get()
        share = 0.0
        try:
            while not (ended := worker.has_ended(CHECK_INTERVAL)) and time.monotonic() < end:
                _refuse_more(out, limit)
                if watcher is not None:
                    share = _share(answer, share)
                    watcher(share)
        finally:  # also after an exception of the watcher
            worker.end()
        _refuse_more(out, limit)
        answer.seek(0)
        return _last_line(answer.read(request["answer"])), ended


def _start_worker(
    module: str, request: IO[bytes], answer: IO[bytes]
) -> _ForkedWorker | _SpawnedWorker:
    if _can_fork():
        with _LOCK, suppress(OSError, ValueError):  # the fork server has ended
            return _ForkedWorker(module, request, answer)
        request.seek(0)
    return _SpawnedWorker(module, request, answer)


def _share(answer: IO[bytes], before: float) -> float:
    """Return the share in the worker's last line, ``before`` if the line has none."""
    if not hasattr(os, "pread"):  # reading would move the shared file offset
        return before
    start = max(0, os.fstat(answer.fileno()).st_size - LAST_LINE)
    share = _last_line(os.pread(answer.fileno(), LAST_LINE, start)).get("share")
    return float(share) if isinstance(share, int | float) and 0 <= share <= 1 else before


def _refuse_more(folder: Path, limit: float) -> None:
    """Raise Refused if a worker has written more than ``limit`` bytes into a folder."""
    if _bytes_in(folder) > limit:
        raise Refused("the file is damaged or hostile; its reader wrote too much")


def _bytes_in(folder: Path) -> float:
    """Return the bytes of all files in a folder; infinite if they are too many or unreadable."""
    total, n, waiting = 0, 0, [os.fspath(folder)]
    while waiting:
        try:
            with os.scandir(waiting.pop()) as entries:
                for entry in entries:
                    n += 1
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
                    else:
                        total += entry.stat(follow_symlinks=False).st_size
                    if n > MAX_FILES:
                        return math.inf
        except FileNotFoundError:  # removed in the meantime
            continue
        except OSError:  # nested too deep, or without permission
            return math.inf
    return total


def _last_line(answer: bytes) -> dict[str, Any]:
    """Return the last complete line of an answer; {} if it is not a JSON object."""
    end = answer.rfind(b"\n")
    start = answer.rfind(b"\n", 0, max(0, end)) + 1
    if end >= 0 and sum(answer.count(sign, start, end) for sign in (b"{", b"[", b":")) <= MAX_PARTS:
        with suppress(ValueError, RecursionError):
            line = str(memoryview(answer)[start:end], "utf-8")
            del answer  # the answer may be large
            value = json.loads(line)
            return value if isinstance(value, dict) else {}
    return {}


# --- The worker's side ----------------------------------------------------------------------------


def _answer(request: Mapping[str, Any]) -> str:
    """Return the result of the function as JSON; turn any exception into Refused."""
    global _reading
    module, name = request["function"]
    _reading = ""
    try:
        function = getattr(importlib.import_module(module), name)
        return json.dumps(function(*request["args"], Path(request["out"])), default=str)
    except Refused as refusal:
        raise Refused(str(refusal), refusal.where or _variable(_reading)) from None
    except MemoryError:
        raise Refused(request["memory_message"], _variable(_reading)) from None
    except Exception:  # noqa: BLE001
        raise Refused(request["damage_message"], _variable(_reading)) from None


def _variable(name: object) -> str:
    return f"variable {str(name)!r}" if name else ""


def _write(*parts: str) -> None:
    """Write the parts of a line."""
    sys.stdout.writelines((*parts, "\n"))
    sys.stdout.flush()


def _call_directly(request: Mapping[str, Any]) -> Any:
    """Call the function in this worker, and restore its limits."""
    global _base
    before = _base, resource.getrlimit(resource.RLIMIT_AS) if sys.platform != "win32" else None
    _base = _mapped_bytes() + SPARE
    try:
        return json.loads(_answer(json.loads(json.dumps(request))))
    except Refused as refusal:
        refused = Refused(str(refusal), refusal.where)
    finally:
        _base = before[0]
        if before[1] is not None:
            _limit("RLIMIT_AS", before[1][0], hard=False)
    raise refused  # raised outside the block, since its traceback would keep files open


def _limit(which: str, value: int, *, hard: bool = True) -> None:
    """Limit a resource of this process if the system supports the limit."""
    if sys.platform == "win32":
        return
    number = getattr(resource, which)
    ceiling = resource.getrlimit(number)[1]
    value = value if ceiling == resource.RLIM_INFINITY else min(value, ceiling)
    with suppress(ValueError, OSError):  # macOS does not limit address space
        resource.setrlimit(number, (value, value if hard else ceiling))


def _mapped_bytes() -> int:
    """Return the bytes mapped before the file is read, the baseline of the limit."""
    with suppress(OSError, ValueError):
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
        return pages * os.sysconf("SC_PAGE_SIZE")
    return 1 << 30


def serve() -> None:
    """Confine this process, then serve one request from standard input."""
    global _base, _confined
    request = json.load(sys.stdin)
    _limit("RLIMIT_CORE", 0)
    _limit("RLIMIT_NOFILE", 256)
    _limit("RLIMIT_CPU", request["seconds"] + 5)
    _limit("RLIMIT_CPU", request["seconds"], hard=False)
    _limit("RLIMIT_FSIZE", request["written"] + (1 << 20))
    # The function may belong to another package, such as a test.
    package = ROOT / request["function"][0].partition(".")[0]
    confine_process([*request["files"], str(package)], [request["out"]])
    os.environ["ZSL_DATA"] = request["out"]
    importlib.import_module(request["function"][0])
    _base = _mapped_bytes() + SPARE
    _limit("RLIMIT_AS", _base + request["memory"])
    _confined = True
    try:
        # Check behind the walls, where the files can no longer be exchanged for others. A pipe is
        # refused here, since opening it would wait for a writer.
        if not all(map(_is_file_or_folder, request["files"])):
            raise Refused("expected a file; it was removed or replaced while it was read")
        _write('{"done": ', _answer(request), "}")  # in parts, since an answer may be large
    except Refused as refusal:
        report_progress(refused=str(refusal), where=refusal.where)


def _is_file_or_folder(path: str) -> bool:
    return os.path.isfile(path) or os.path.isdir(path)


def run_fork_server(control: socket.socket) -> None:
    """Fork one worker per request until the socket is closed, without opening files.

    A message is the name of a module to import, with descriptors if a worker is requested.
    Libraries are thus imported once, in a process that never opens a user's file.
    """
    while True:
        gc.freeze()
        message, passed, *_ = socket.recv_fds(control, 1 << 10, 2)
        if not message:
            return  # the workers end with this process
        with suppress(Exception):  # the worker reports the failed import
            importlib.import_module(message.decode())
        if not passed:
            continue
        with suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        server = os.getpid()
        if (pid := os.fork()) == 0:
            _serve_and_exit(server, passed)
        descriptor = os.pidfd_open(pid)
        socket.send_fds(control, [b"p"], [descriptor])
        for open_descriptor in (*passed, descriptor):
            os.close(open_descriptor)


def _serve_and_exit(server: int, passed: Sequence[int]) -> NoReturn:
    """Serve in a forked process, with all other descriptors closed."""
    try:
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        if os.getppid() == server:  # otherwise the server ended before the call
            for position, descriptor in enumerate(passed):
                os.dup2(descriptor, position)
            os.closerange(3, os.sysconf("SC_OPEN_MAX"))
            serve()
    finally:
        os._exit(0)


if __name__ == "__main__":
    from zslcore.untrusted import worker  # the copy that functions import; this one is __main__

    if len(sys.argv) > 1:
        worker.run_fork_server(socket.socket(fileno=int(sys.argv[1])))
    else:
        worker.serve()
