"""A file is complete or absent, and a failed write is reported in one sentence."""

import os
import shutil
import subprocess
import sys
import threading

import numpy as np
import pytest

from tests.hostile.disks import disk, fill, read_only, refused_here
from zslcore.__main__ import main
from zslcore.exceptions import ZSLError
from zslcore.large.shards import write_shards
from zslcore.storage.files import FACTS, open_atomically, write_out


def test_a_file_is_replaced_only_when_completely_written(tmp_path):
    path = tmp_path / "not there yet" / "file"
    with open_atomically(path) as file:
        file.write(b"first")
        assert not path.exists()
    with open_atomically(path) as file:
        file.write(b"second")
        assert path.read_bytes() == b"first"
    assert path.read_bytes() == b"second"
    assert list(path.parent.iterdir()) == [path]


def test_files_have_the_default_permissions(tmp_path):
    (tmp_path / "any").touch()
    with open_atomically(tmp_path / "file"):
        pass
    assert (tmp_path / "file").stat().st_mode == (tmp_path / "any").stat().st_mode


def interrupted(path):
    with open_atomically(path) as file:
        file.write(b"half of the second")
        raise KeyboardInterrupt


def test_a_failed_write_leaves_the_old_content(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"first")
    with pytest.raises(KeyboardInterrupt):
        interrupted(path)
    assert path.read_bytes() == b"first"
    assert list(tmp_path.iterdir()) == [path]


# --- Files named by users -------------------------------------------------------------------------


@pytest.fixture
def full(tmp_path):
    """A small, full file system."""
    if why := refused_here():
        pytest.skip(why)
    (tmp_path / "full").mkdir()
    with disk(tmp_path / "full") as mounted:
        (mounted / "before.csv").write_text("what was there", encoding="utf-8")
        fill(mounted)
        yield mounted


COMMANDS = {
    "board": ("board", "one", "--output"),
    "runs": ("runs", "export", "--output"),
    "check": ("check", "digits", "--format", "html", "--output"),
    "correct": ("check", "digits", "--correct"),
}


@pytest.mark.nightly
@pytest.mark.parametrize("name", COMMANDS)
def test_commands_report_a_full_disk(own_data, name, full, tmp_path, monkeypatch, printed):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "one").mkdir()  # a board of one result: checking the whole board takes seconds
    shutil.copy(min((FACTS / "board").glob("*.json")), tmp_path / "one")
    assert main(["run", "--method", "LinearS2V", "--no-oracle"]) == 0
    ending = {"correct": "mat", "check": "html"}.get(name, "csv")
    path = full / f"before.{ending}"
    content_before = path.read_bytes() if path.exists() else None
    assert printed(*COMMANDS[name], path, status=2).endswith(
        f"{path}: could not be written: no space left on device.\n"
    )
    assert (path.read_bytes() if path.exists() else None) == content_before
    with read_only(full):
        assert "could not be written: read-only file system" in printed(
            *COMMANDS[name], str(full / f"new.{ending}"), status=2
        )
    assert not [path.name for path in full.iterdir() if path.name.startswith((".", "new"))]


@pytest.mark.nightly
def test_writing_shards_to_a_full_disk_is_refused_and_leaves_nothing(full):
    """A write to a mapped page without disk space kills the process, so it runs separately."""
    words = [sys.executable, "-m", "zslcore", "shards", "write", "digits", str(full / "set")]
    ended = subprocess.run(words, capture_output=True, text=True, check=False)
    assert ended.returncode == 2
    assert (
        ended.stderr == f"zslcore: {full / 'set'}: could not be written: no space left on device.\n"
    )
    assert sorted(path.name for path in full.iterdir()) == ["ballast", "before.csv"]


def test_shards_that_fill_the_disk_later_leave_nothing(tmp_path):
    if why := refused_here():
        pytest.skip(why)
    (tmp_path / "disk").mkdir()
    with disk(tmp_path / "disk") as mounted:
        fill(mounted, left=300_000)
        block = (np.ones((1000, 64), np.float32), np.arange(1000))
        with pytest.raises(ZSLError, match="set: could not be written: no space left"):
            write_shards(mounted / "set", [block] * 9, part_bytes=100_000)
        assert [path.name for path in mounted.iterdir()] == ["ballast"]


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("x" * 5_000, "x…: could not be written: file name too long"),
        ("file/below a file", "below a file: could not be written: "),
        ("zero\0byte", "expected a file name"),
    ],
)
def test_an_invalid_file_name_is_refused_in_one_sentence(name, why, tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(ZSLError, match=why) as refused:
        write_out(f"{tmp_path}/{name}", "text")
    assert len(str(refused.value)) < 400


def test_writing_keeps_a_link_and_writes_to_a_pipe(tmp_path):
    (tmp_path / "file").write_text("first", encoding="utf-8")
    os.symlink(tmp_path / "file", tmp_path / "link")
    write_out(tmp_path / "link", "second")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "file").read_text(encoding="utf-8") == "second"
    os.mkfifo(tmp_path / "pipe")
    contents = []
    reader = threading.Thread(target=lambda: contents.append((tmp_path / "pipe").read_bytes()))
    reader.start()
    write_out(tmp_path / "pipe", b"through")
    reader.join()
    assert contents == [b"through"]
    assert (tmp_path / "pipe").is_fifo()


@pytest.mark.nightly
@pytest.mark.parametrize("words", [("methods",), ("runs", "list")])
def test_output_to_a_full_device_is_reported_in_one_sentence(words, tmp_path):
    if not os.path.exists("/dev/full"):
        pytest.skip("there is no /dev/full")
    with open("/dev/full", "w", encoding="utf-8") as out:
        how = {"env": os.environ | {"ZSL_DATA": str(tmp_path)}, "text": True, "check": False}
        command = [sys.executable, "-m", "zslcore", *words]
        ended = subprocess.run(command, stdout=out, stderr=subprocess.PIPE, **how)
    assert ended.returncode == 2
    assert (
        ended.stderr == "zslcore: A file: could not be read or written: no space left on device.\n"
    )


def test_paths_refused_by_the_system_are_reported_in_one_sentence(tmp_path, monkeypatch, printed):
    assert "a…: could not be read or written: file name too long" in printed(
        "import", "a" * 5_000, status=2
    )
    (tmp_path / "file").touch()
    monkeypatch.setenv("ZSL_DATA", str(tmp_path / "file"))
    source = tmp_path / "mine.npz"
    r = np.random.default_rng(0)
    arrays = {"features": r.normal(size=(60, 8)), "prototypes": r.normal(size=(6, 4))}
    names = np.array(list("abcdef"))
    np.savez(source, labels=np.repeat(np.arange(6), 10), class_names=names, **arrays)
    assert "The import 'mine': could not be written: not a directory" in printed(
        "import", str(source), "--name", "mine", "--unseen", "e", "f", status=2
    )
