"""A full or read-only disk loses no data."""

import pytest

from tests.datasets.test_table import npz
from tests.hostile.disks import BALLAST, disk, fill, read_only, refused_here
from tests.pages import visit
from zslcore.datasets import import_dataset, imports
from zslcore.evaluation.runs import run
from zslcore.evaluation.specs import RunSpec
from zslcore.exceptions import ZSLError
from zslcore.jobs import upkeep
from zslcore.results.store import ResultStore
from zslcore.storage import artifacts
from zslcore.storage.files import reraise_write_errors


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A separate small file system with the data folder."""
    if why := refused_here():
        pytest.skip(why)
    (tmp_path / "disk").mkdir()
    with disk(tmp_path / "disk") as mounted:
        monkeypatch.setenv("ZSL_DATA", str(mounted / "data"))
        yield mounted


def ill():
    return [
        finding.sentence
        for finding in upkeep.examine()
        if not finding.is_ok and finding.subject != "disk space"
    ]


@pytest.mark.nightly
def test_a_full_or_read_only_disk_loses_no_data(place, tmp_path):
    source = npz(tmp_path)
    import_dataset(source, name="first")
    spec = RunSpec("digits", "PS", "LinearS2V", {"lam": 1.0})
    kept_one = run(spec, with_oracle=False, store=ResultStore()).result
    fill(place)
    shows_and_keeps_nothing(source, "no space left on device|got none", kept_one)
    with read_only(place):
        shows_and_keeps_nothing(source, "read-only file system", kept_one)
    (place / BALLAST).unlink()
    assert ill() == []
    assert import_dataset(source, name="second").n_classes == 5


def shows_and_keeps_nothing(source, why, kept_one):
    """Check that results are shown, and that only earlier files are stored."""
    with pytest.raises(ZSLError, match=why):
        import_dataset(source, name="second")
    store = ResultStore()
    result = run(
        RunSpec("digits", "PS", "LinearS2V", {"lam": 2.0}), with_oracle=False, store=store
    ).result
    assert result.evaluation.zsl > 0
    assert store.not_stored_because
    assert [result.key for result in store.results()] == [kept_one.key]
    assert imports.names() == ("first",)
    assert imports.open_import("first").n_classes == 5
    assert not visit("play", dataset="first", method="LinearS2V").error


def test_a_draft_without_disk_space_for_its_mark_leaves_nothing(tmp_path, monkeypatch):
    def refused(self, *_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pathlib.Path.write_text", refused)
    with pytest.raises(OSError, match="No space"):
        artifacts.draft(tmp_path / "jobs", ".0123.")
    assert list((tmp_path / "jobs").iterdir()) == []


def test_only_failed_writes_become_refusals():
    sentence = "^mine: could not be written: no space left on device"
    with pytest.raises(ZSLError, match=sentence), reraise_write_errors("mine"):
        raise OSError("32 requested and 0 written")  # NumPy reports a full disk with this message
    with pytest.raises(FileNotFoundError), reraise_write_errors("mine"):
        raise FileNotFoundError(2, "No such file")
