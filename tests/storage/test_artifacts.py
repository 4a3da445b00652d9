"""A sealed folder is unchanged, or it is not used."""

import json
import os
import platform
from contextlib import nullcontext
from types import SimpleNamespace

import pytest

from zslcore.storage import artifacts
from zslcore.storage.artifacts import (
    CorruptFolderError,
    discard,
    draft,
    seal,
    sha256,
    sweep,
    verify,
)


@pytest.fixture
def folder(tmp_path):
    folder = draft(tmp_path / "root" / "of all", "Toy.")
    for name in ("a.npy", "b.npy"):
        (folder / name).write_text(f"what is in {name}")
    return folder


def test_a_draft_is_a_new_folder_next_to_the_target(tmp_path):
    root = tmp_path / "not there" / "yet"
    first, second = draft(root, "Toy."), draft(root, "Toy.")
    assert first != second
    assert first.parent == second.parent == root
    assert first.name.startswith("Toy.")
    assert [path.name for path in first.iterdir()] == [artifacts.OWNER]


def test_sealing_records_size_time_and_digest_of_files(folder):
    manifest = seal([folder / "a.npy"])
    state = (folder / "a.npy").stat()
    assert manifest == {
        "a.npy": {
            "size": len("what is in a.npy"),
            "mtime_ns": state.st_mtime_ns,
            "sha256": sha256(folder / "a.npy"),
        }
    }
    assert state.st_mode & 0o777 == 0o444


def test_a_sealed_folder_is_valid(folder):
    manifest = seal(folder.iterdir())
    (folder / ".hidden").touch()
    (folder / "status.json").touch()
    verify(folder, manifest, "status.json")


@pytest.mark.parametrize(
    ("spoil", "sentence"),
    [
        (lambda f: (f / "c.npy").touch(), "c.npy does not belong to it"),
        (lambda f: (f / "b.npy").unlink(), "b.npy is missing"),
        (lambda f: (f / "b.npy").write_text("another"), "b.npy has 7 of 16 bytes"),
        (lambda f: (f / "b.npy").write_text("WHAT is in b.npy"), "b.npy has changed since"),
        (discard, "its folder Toy.* is missing"),
    ],
)
def test_a_changed_sealed_folder_is_corrupt(folder, spoil, sentence):
    manifest = seal(folder.iterdir())
    for path in folder.iterdir():
        path.chmod(0o644)
    spoil(folder)
    with pytest.raises(CorruptFolderError, match=sentence):
        verify(folder, manifest)


@pytest.mark.parametrize(("size", "hashed"), [(4 << 20, True), ((4 << 20) + 1, False)])
def test_files_up_to_four_mebibytes_are_always_hashed(tmp_path, size, hashed):
    path = tmp_path / "file"
    with path.open("wb") as file:
        file.truncate(size)
    record = {"size": size, "mtime_ns": path.stat().st_mtime_ns, "sha256": "of other bytes"}
    with pytest.raises(CorruptFolderError, match="has changed") if hashed else nullcontext():
        verify(tmp_path, {"file": record})
    with pytest.raises(CorruptFolderError, match="has changed"):
        verify(tmp_path, {"file": record | {"mtime_ns": 0}})


def marked(folder, **changes):
    """Mark a folder with old files as owned by another process."""
    owner = json.dumps(artifacts._owner(os.getpid()) | changes)
    (folder / artifacts.OWNER).write_text(owner)
    for path in (*folder.iterdir(), folder):
        os.utime(path, (1, 1))


@pytest.mark.parametrize("other", [{"host": "another"}, {"space": "pid:[1]"}, {"pid": "x"}])
@pytest.mark.parametrize(("age", "is_kept"), [(24 * 3600, True), (24 * 3600 + 1, False)])
def test_a_draft_without_an_owner_is_removed_after_a_day(folder, monkeypatch, age, is_kept, other):
    marked(folder, **other)
    monkeypatch.setattr(artifacts, "time", SimpleNamespace(time=lambda: 1 + age))
    sweep([folder, folder.with_name("gone already")])
    assert folder.exists() == is_kept


def test_a_file_written_today_keeps_a_draft_without_a_known_owner(folder):
    marked(folder, host="another")
    os.utime(folder / "a.npy")
    assert sweep([folder]) == 0


@pytest.mark.parametrize("age", [-1e9, 0.0, 1e9])
def test_a_clock_change_removes_only_drafts_of_ended_processes(folder, monkeypatch, age):
    marked(folder)
    monkeypatch.setattr(artifacts, "time", SimpleNamespace(time=lambda: 1 + age))
    assert sweep([folder]) == 0
    marked(folder, pid=2**22 + 1)  # no such process
    assert sweep([folder]) == 1


def test_a_folder_without_the_mark_of_a_draft_is_never_removed(folder):
    artifacts.unmark_draft(folder)
    os.utime(folder, (1, 1))
    assert sweep([folder]) == 0
    assert sorted(path.name for path in folder.iterdir()) == ["a.npy", "b.npy"]


def test_a_mark_of_the_previous_version_names_its_process(folder):
    owner = {"host": platform.node(), "pid": os.getpid(), "born": None}
    (folder / artifacts.OWNER).write_text(json.dumps(owner))
    assert sweep([folder]) == 0
    (folder / artifacts.OWNER).write_text(json.dumps(owner | {"pid": 2**22 + 1}))
    assert sweep([folder]) == 1
