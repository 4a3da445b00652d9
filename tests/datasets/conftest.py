"""What tests of data sets share."""

import json

import pytest

from zslcore.datasets.sandbox import child, client


@pytest.fixture
def in_process(monkeypatch):
    """Serve the door's requests here: what cannot crash needs no process of its own."""
    monkeypatch.setattr(child, "limit", lambda *_, **__: None)

    def run(request):
        lines = []
        with monkeypatch.context() as patch:
            patch.setattr(child, "say", lambda **line: lines.append(line))
            child.serve(request)
        return json.loads(json.dumps(lines)), 0

    monkeypatch.setattr(client, "_run_child", run)
