"""Precomputed results of jobs: found by the key of the current study, or not at all."""

import shutil

import pytest

from tests.works import Work
from zslcore.analysis import study
from zslcore.analysis.study import SHIPPED, verified
from zslcore.jobs import Runner
from zslcore.jobs.studies import STUDIES

FOLDERS = sorted(path for path in SHIPPED.iterdir() if path.is_dir())


def study_of(folder):
    identity = verified(folder)
    return STUDIES[identity["function"]].from_arguments(identity["arguments"])


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_precomputed_studies_are_complete_and_current(folder):
    assert study_of(folder).key == folder.name
    assert study_of(folder).read(folder) is not None


def test_a_study_without_a_stored_result_uses_the_precomputed_result(tmp_path, monkeypatch):
    work = study_of(FOLDERS[0])
    monkeypatch.setenv("ZSL_SHIPPED", "0")
    assert Runner(folder=tmp_path).finished(work) is None
    monkeypatch.setenv("ZSL_SHIPPED", "1")
    assert Runner(folder=tmp_path).finished(work) == FOLDERS[0]
    other = Work("", **{**work.identity, "made_by": {"revision": 99}})
    assert Runner(folder=tmp_path).finished(other) is None


def test_a_changed_precomputed_study_is_neither_used_nor_removed(tmp_path, monkeypatch):
    monkeypatch.setenv("ZSL_SHIPPED", "1")
    monkeypatch.setattr(study, "SHIPPED", tmp_path / "shipped")
    copy = tmp_path / "shipped" / FOLDERS[0].name
    shutil.copytree(FOLDERS[0], copy)
    assert study.shipped_folder(copy.name) == copy
    name = next(p for p in copy.iterdir() if p.name != "manifest.json")
    name.chmod(0o644)
    name.write_bytes(name.read_bytes()[:-1] + b"x")
    assert Runner(folder=tmp_path / "own").finished(study_of(FOLDERS[0])) is None
    assert copy.is_dir()
