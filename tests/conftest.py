"""Fixtures of all tests.

Tests in the folders of ``NIGHTLY`` run at night, except those of ``GATE``; all others belong to
the gate, which the README's command runs, unless they are marked ``nightly``. The gate has the
tests of each promise of the README, each law over everything registered, and the golden numbers.
"""

import os
import shutil
import subprocess
import sys
from itertools import islice
from pathlib import Path

import pytest
from filelock import FileLock
from hypothesis import settings
from threadpoolctl import threadpool_limits

if "PYTEST_XDIST_WORKER" in os.environ:
    # This is for PyTorch, which is imported later, and for worker processes.
    os.environ.setdefault("OMP_NUM_THREADS", "1")

# Servers, workers and commands start a second sooner with compiled files.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# Tests enable the precomputed results of the package explicitly.
os.environ.setdefault("ZSL_SHIPPED", "0")

# The same examples on each run, so that a submission never fails by chance; at night, new ones with
# ``--hypothesis-profile=explore``. No deadline: a slow example means a busy machine.
settings.register_profile("suite", deadline=None, derandomize=True, database=None)
settings.register_profile("explore", deadline=None)
settings.load_profile("suite")

#: The module that runs the tests.
MAIN = sys.modules["__main__"]
ROOT = Path(__file__).parents[1]
SHARED = ROOT.parent / "shared"
#: Folders of tests that open pages, start servers and browsers, or install the package.
NIGHTLY = ("tests/app/", "tests/browser/", "tests/ship/")
#: Tests of these folders that are in the gate: each view once, as a run and in Chromium; the wheel;
#: the README.
GATE = (
    "tests/app/test_every_view.py",
    "tests/browser/test_every_view.py::test_a_view_opens_in_a_browser",
    "tests/browser/test_installed.py::test_a_run_of_the_installed_package_equals_the_checkout",
    "tests/ship/test_guide.py::test_every_command_in_the_documents_is_accepted_by_the_parser",
    "tests/ship/test_guide.py::test_the_python_of_a_page_runs[README.md]",
    "tests/ship/test_guide.py::test_counts_and_questions_in_the_readme_are_right",
    "tests/ship/test_version.py",
)


def pytest_collection_modifyitems(items):
    """Mark the nightly tests, and start with browser tests, which wait half of their time.

    Of two workers, one gets the browser tests of the server with precomputed results and the other
    gets the remaining browser tests, so that each starts only the servers that it needs.
    """
    for item in items:
        if item.nodeid.startswith("tests/browser/"):
            item.add_marker("browser")
        if item.nodeid.startswith(NIGHTLY) and not item.nodeid.startswith(GATE):
            item.add_marker("nightly")
    of_browser = [item for item in items if item.get_closest_marker("browser")]
    rest = iter([item for item in items if not item.get_closest_marker("browser")])
    share = len(items) // int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    ordered = []
    for shipped in (True, False):
        of_server = [
            item for item in of_browser if ("shipped_server" in item.fixturenames) == shipped
        ]
        ordered += [*of_server, *islice(rest, max(0, share - len(of_server)))]
    items[:] = [*ordered, *rest]


@pytest.fixture(scope="session")
def shared():
    """Folder of research-only data next to the checkout."""
    if not SHARED.is_dir():
        pytest.skip(f"research-only data are not at {SHARED}")
    return SHARED


@pytest.fixture(scope="session", autouse=True)
def _one_thread_a_worker():
    """Use one BLAS thread if tests run in parallel: more threads would wait for each other.

    ``OMP_NUM_THREADS=2 python -m pytest`` uses two, to check that verdicts are the same.
    """
    threads = int(os.environ["OMP_NUM_THREADS"]) if "PYTEST_XDIST_WORKER" in os.environ else None
    with threadpool_limits(threads):
        yield


@pytest.fixture(scope="module", autouse=True)
def _own_data_folder(tmp_path_factory):
    """Separate imports, downloads and runs of each test file from others and from the user's."""
    before = os.environ.get("ZSL_DATA")
    os.environ["ZSL_DATA"] = str(tmp_path_factory.mktemp("zsl-data"))
    yield
    if before is None:
        del os.environ["ZSL_DATA"]
    else:
        os.environ["ZSL_DATA"] = before


@pytest.fixture(autouse=True)
def _own_main_module():
    """Restore ``__main__``, which a page replaces, because spawned processes import it."""
    sys.modules["__main__"] = MAIN
    yield
    sys.modules["__main__"] = MAIN


@pytest.fixture(scope="session", autouse=True)
def _no_child_left():
    """End the worker processes started by pages."""
    yield
    if "zslcore.jobs" in sys.modules:
        sys.modules["zslcore.jobs"].close()


@pytest.fixture
def put_on_path(tmp_path, monkeypatch):
    """Put a folder of the test on the path; its modules are unloaded after the test."""
    yield lambda folder: monkeypatch.syspath_prepend(str(folder))
    for name, module in list(sys.modules.items()):
        if (getattr(module, "__file__", None) or "").startswith(f"{tmp_path}/"):
            del sys.modules[name]


@pytest.fixture
def own_data(tmp_path, monkeypatch):
    """Data folder of a single test."""
    monkeypatch.setenv("ZSL_DATA", str(tmp_path / "data"))
    return tmp_path / "data"


@pytest.fixture
def precomputed(monkeypatch):
    """Enable the precomputed results of the package."""
    monkeypatch.setenv("ZSL_SHIPPED", "1")


@pytest.fixture
def printed(capsys):
    """Run a command; return its output, including errors for a non-zero status."""
    from zslcore.__main__ import main

    def run(*words, status=0):
        capsys.readouterr()
        assert main([str(word) for word in words]) == status
        out, err = capsys.readouterr()
        return out + err if status else out

    return run


@pytest.fixture
def look():
    """Set the theme and the window width in which figures are drawn."""
    from ui.figures import palette

    def choose(dark=False, narrow=False):
        return palette.set_viewer(lambda: dark, lambda: narrow)

    former = choose()
    yield choose
    palette.set_viewer(*former)


@pytest.fixture(scope="session")
def torch():
    """PyTorch, which takes longer to import than most test files to run."""
    import torch

    return torch


@pytest.fixture(scope="session")
def node():
    """Node.js, without packages."""
    result = shutil.which("node")
    if result is None:
        pytest.skip("needs Node.js")
    return result


@pytest.fixture(scope="session")
def wheel(tmp_path_factory):
    """The wheel of this checkout, built once for all workers of a run."""
    of_run = tmp_path_factory.getbasetemp()
    folder = (of_run.parent if "PYTEST_XDIST_WORKER" in os.environ else of_run) / "wheel"
    with FileLock(f"{folder}.lock"):
        if not list(folder.glob("*.whl")):
            words = ["--wheel", "--no-isolation", "--outdir", folder, ROOT]
            done = subprocess.run(
                [sys.executable, "-m", "build", *words], capture_output=True, text=True, check=False
            )
            assert done.returncode == 0, done.stdout + done.stderr
    (built,) = folder.glob("*.whl")
    return built
