"""Fixtures for tests of data sets."""

import pytest

from zslcore.untrusted import worker


@pytest.fixture
def in_process(monkeypatch):
    """Read files in this process: these readers cannot crash it."""
    monkeypatch.setattr(worker, "_confined", True)
    monkeypatch.setattr(worker, "_limit", lambda *_, **__: None)
    monkeypatch.setattr(worker, "_write", lambda _: None)


@pytest.fixture
def own_data(monkeypatch, tmp_path):
    """Return an empty data folder."""
    monkeypatch.setenv("ZSL_DATA", str(tmp_path / "data folder"))
    return tmp_path / "data folder"
