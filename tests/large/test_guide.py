"""The guide's example of data larger than memory runs as printed."""

import re
from pathlib import Path

import numpy as np

from zslcore.__main__ import main

GUIDE = Path(__file__).parents[2] / "docs" / "guide" / "large.md"


def test_the_example_runs(tmp_path, monkeypatch, capsys):
    text = GUIDE.read_text(encoding="utf-8")
    script = re.search(r"<!-- large -->\n```python\n(.*?)```", text, re.DOTALL)[1]
    monkeypatch.chdir(tmp_path)
    assert main(["shards", "write", "digits", "SHARDS"]) == 0
    capsys.readouterr()
    exec(compile(script, "large.md", "exec"), {})  # trusted code from our guide
    metrics = np.array(capsys.readouterr().out.split(), float)
    assert metrics.shape == (4,)
    assert ((metrics > 0) & (metrics < 1)).all()
    assert len(list((tmp_path / "checkpoints").rglob("output.pkl"))) == 1  # one part
