"""What tests of data sets share."""

import json

import pytest

from zslcore.datasets import door, door_child


@pytest.fixture
def in_process(monkeypatch):
    """Serve the door's requests here: what cannot crash needs no process of its own."""
    monkeypatch.setattr(door_child, "limit", lambda *_, **__: None)

    def run(request):
        lines = []
        with monkeypatch.context() as patch:
            patch.setattr(door_child, "say", lambda **line: lines.append(line))
            door_child.serve(request)
        return json.loads(json.dumps(lines)), 0

    monkeypatch.setattr(door, "_run_child", run)
