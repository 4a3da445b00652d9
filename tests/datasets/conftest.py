"""What tests of data sets share."""

import pytest

from zslcore.untrusted import worker


@pytest.fixture
def in_process(monkeypatch):
    """Call readers here: what cannot crash needs no process of its own."""
    monkeypatch.setattr(worker, "_confined", True)
    monkeypatch.setattr(worker, "_limit", lambda *_, **__: None)
    monkeypatch.setattr(worker, "_write", lambda _: None)


@pytest.fixture
def own_data(monkeypatch, tmp_path):
    """Return a data folder of this test alone."""
    monkeypatch.setenv("ZSL_DATA", str(tmp_path / "data folder"))
    return tmp_path / "data folder"
