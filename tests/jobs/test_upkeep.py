"""The doctor finds damage, repairs it if possible, and then finds nothing."""

import json
import os
import subprocess
import sys
from importlib.metadata import PackageNotFoundError

import pytest
from streamlit.testing.v1 import AppTest

from tests.datasets.test_table import ARRAYS
from tests.pages import ROOT
from tests.writing import write_file
from ui.shell import runtime
from ui.shell.runtime import prepare_folder
from zslcore.__main__ import main
from zslcore.datasets import import_dataset, imports
from zslcore.jobs import upkeep
from zslcore.results.store import ResultStore
from zslcore.storage import artifacts


@pytest.fixture
def data(own_data):
    """An empty data folder."""
    return own_data


def owned_by_an_ended_process(folder):
    """Mark a folder as owned by a process that has ended."""
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    owner = artifacts._owner(os.getpid()) | {"pid": dead.pid}
    (folder / artifacts.OWNER).write_text(json.dumps(owner))
    return folder


def leave(data):
    """Create leftovers of killed imports, uploads and jobs; return those to delete and to keep."""
    go = [
        owned_by_an_ended_process(artifacts.draft(data / "imported", "mine.")),
        owned_by_an_ended_process(artifacts.draft(data / "jobs", ".0123.")),
        owned_by_an_ended_process(artifacts.draft(data / "scratch", "")),
    ]
    (go[-1] / "upload.mat").write_bytes(b"x")
    old = data / f".runs.json.{'0' * 32}"
    write_file(old, "{")
    os.utime(old, (1, 1))
    stay = [artifacts.draft(data / "scratch", ""), artifacts.draft(data / "jobs", ".4567.")]
    new = data / f".runs.json.{'1' * 32}"
    write_file(new, "{")
    return [*go, old], [*stay, new]


def test_only_leftovers_of_ended_processes_are_removed(data, tmp_path):
    import_dataset(write_file(tmp_path / "mine.npz", ARRAYS))
    go, stay = leave(data)
    assert upkeep.sweep_leftovers() == len(go)
    assert not [path for path in go if path.exists()]
    assert all(path.exists() for path in stay)
    assert imports.open_import("mine").n_classes == 5
    assert upkeep.sweep_leftovers() == 0


def test_the_doctor_finds_and_repairs_all_damage(data, tmp_path, capsys, printed):
    assert main(["doctor"]) == 0
    import_dataset(write_file(tmp_path / "mine.npz", ARRAYS))
    labels = next((data / "imported").glob("*/labels.npy"))
    labels.chmod(0o644)
    labels.write_bytes(b"torn")
    (data / "jobs" / "0123456789abcdef").mkdir(parents=True)
    ResultStore().path.write_bytes(b"no store, but some text" * 99)
    leave(data)
    capsys.readouterr()
    output = printed("doctor", status=1)
    for name in ("store", "imports", "jobs", "leftovers"):
        assert f"problem  {name}" in output
    assert output.count("`zslcore doctor --repair` repairs it.") == 4
    assert main(["doctor", "--repair"]) == 0
    assert "problem" not in printed("doctor").rpartition("versions")[2]
    assert imports.open_import("mine").n_classes == 5


@pytest.mark.parametrize(
    ("standing", "part"),
    [
        (("files", "network", "programs"), "read without access to other files"),
        (("files",), "is not isolated from network, programs"),
        ((), "is not isolated from files, network, programs"),
    ],
)
def test_the_doctor_names_missing_isolation(data, monkeypatch, capsys, standing, part):
    monkeypatch.setattr(upkeep, "active_walls", lambda: standing)
    assert main(["doctor"]) == 0  # a missing sandbox is not damage
    assert part in capsys.readouterr().out


@pytest.mark.parametrize(("library", "status"), [("torch", 0), ("scipy", 1)])
def test_a_missing_library_is_damage_unless_in_an_extra(data, monkeypatch, capsys, library, status):
    def installed(name):
        if name == library:
            raise PackageNotFoundError(name)
        return "1.0"

    monkeypatch.setattr(upkeep, "installed", installed)
    assert main(["doctor"]) == status
    assert f"{library} is not installed" in capsys.readouterr().out


@pytest.fixture
def imported(data, tmp_path):
    """Return the folder of an old import; its source was deleted, as after an upload."""
    import_dataset(write_file(tmp_path / "mine.npz", ARRAYS))
    (tmp_path / "mine.npz").unlink()
    folder = next((data / "imported").glob("mine.*/"))
    for path in (*folder.iterdir(), folder):
        os.utime(path, (1, 1))
    return folder


@pytest.mark.parametrize("damage", [lambda b: b[: len(b) // 2], lambda b: bytes(len(b))])
@pytest.mark.parametrize("copied", [True, False])
def test_an_import_with_damaged_manifest_is_not_removed(data, imported, capsys, damage, copied):
    manifest = data / "imported" / "mine.json"
    manifest.write_bytes(damage(manifest.read_bytes()))
    if not copied:
        (imported / imports.COPY).unlink()  # earlier versions wrote no copy
    files_before = sorted(imported.iterdir())
    prepare_folder()
    assert main(["doctor"]) == 1
    assert "The import 'mine' is damaged: its manifest cannot be read" in capsys.readouterr().out
    assert main(["doctor", "--repair"]) == (0 if copied else 1)
    output = capsys.readouterr().out
    assert ("rebuilt from its copies" in output) == copied
    assert sorted(imported.iterdir()) == files_before
    assert not copied or imports.open_import("mine").n_classes == 5


def test_an_import_of_a_newer_version_is_not_damage_and_is_kept(data, imported, printed):
    manifest = data / "imported" / "mine.json"
    manifest.write_text(manifest.read_text().replace('"schema": 1', '"schema": 2'))
    files_before = sorted(imported.iterdir())
    prepare_folder()
    output = printed("doctor", "--repair")
    assert "The import 'mine' was made by a newer version" in output
    assert "problem" not in output
    assert "0 imports are intact." in output
    assert sorted(imported.iterdir()) == files_before


def test_unknown_folders_are_moved_to_a_named_quarantine(data, imported, capsys, printed):
    (data / "imported" / "mine.json").unlink()
    old = data / "scratch" / "of_an_earlier_version"
    old.mkdir(parents=True)
    (old / "upload.mat").write_bytes(b"x")
    for path in (old / "upload.mat", old):
        os.utime(path, (1, 1))
    contents = {path.name: path.read_bytes() for path in imported.iterdir()}
    prepare_folder()
    assert imported.is_dir()
    assert old.is_dir()
    assert main(["doctor"]) == 1
    output = f"This version does not recognise 2 folders: {imported.name}, {old.name}."
    assert output in capsys.readouterr().out
    assert main(["doctor", "--repair"]) == 0
    assert "holds 2 files and folders that this version does not recognise" in printed("doctor")
    assert not imported.exists()
    (moved,) = (data / imports.QUARANTINE).glob(f"*.{imported.name}")
    assert {path.name: path.read_bytes() for path in moved.iterdir()} == contents
    upkeep.sweep_leftovers()
    assert moved.is_dir()


def test_the_doctor_reports_damage_that_it_cannot_repair(data, printed):
    data.parent.mkdir(parents=True, exist_ok=True)
    data.write_text("a file")
    assert "Nothing can be written in" in printed("doctor", "--repair", status=1)


def test_a_server_repairs_its_data_folder_once_before_its_first_page(data, monkeypatch):
    monkeypatch.setattr(runtime, "is_served", lambda: True)
    monkeypatch.setattr(runtime, "_MESSAGES", [])
    go, _ = leave(data)
    ResultStore().path.write_bytes(b"no store, but some text" * 99)
    message = runtime.begin()
    assert "was set aside as runs.damaged-" in message
    assert not [path for path in go if path.exists()]
    ResultStore().path.write_bytes(b"no store again" * 99)
    assert runtime.begin() == message
    assert len(list(data.glob("runs.damaged-*"))) == 1


def test_a_failure_on_a_page_is_shown_as_a_sentence_with_a_log_reference(monkeypatch, caplog):
    def page():
        from ui.shell.guard import guarded

        with guarded():
            raise KeyError("secret")

    monkeypatch.setattr("ui.shell.guard.is_served", lambda: True)
    app = AppTest.from_function(page).run()
    assert not app.exception
    sentence = app.error[0].value
    assert "secret" not in sentence
    reference = sentence.split("**")[1]
    assert reference in caplog.text
    assert "KeyError: 'secret'" in caplog.text
    monkeypatch.undo()
    assert AppTest.from_function(page).run().exception  # tests see the original exception


def test_errors_in_a_fragment_that_runs_alone_are_shown_as_sentences(monkeypatch):
    """Fragments of ui.shell.guard show errors when Streamlit runs them without their page."""

    def page():
        import streamlit as st

        from ui.shell.guard import fragment

        @fragment
        def piece():
            if st.toggle("fail"):
                raise KeyError("secret")
            st.markdown("drawn")

        piece()

    monkeypatch.setattr("ui.shell.guard.is_served", lambda: True)
    app = AppTest.from_function(page).run()
    assert app.markdown[0].value == "drawn"
    app.toggle[0].set_value(True).run()
    assert not app.exception
    assert "secret" not in app.error[0].value
    sources = [path for folder in ("ui", "pages") for path in (ROOT / folder).rglob("*.py")]
    own = [path.name for path in sources if "st.fragment(" in path.read_text().replace("@", "")]
    assert own == ["guard.py"]
    assert not [path for path in sources if "@st.fragment" in path.read_text()]
