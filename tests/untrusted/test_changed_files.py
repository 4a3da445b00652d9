"""A file that changes while a command reads it is refused, and nothing is stored."""

import json

import numpy as np
import pytest

from zslcore.__main__ import main
from zslcore.datasets import imports
from zslcore.untrusted import answers

Y = np.arange(80) % 8
CLASSES = np.array([f"class {letter}" for letter in "abcdefgh"])
FILES = {
    "check": {"train": ["ox", "cow"], "test": ["yak", "emu"]},
    "score": {"scores": np.eye(8)[Y], "labels": Y, "unseen_classes": [6, 7]},
    "import": {
        "features": np.arange(320.0).reshape(80, 4),
        "labels": Y,
        "class_names": CLASSES,
        "prototypes": np.eye(8),
    },
}
WORDS = {"import": ["--name", "changed", "--unseen", "6", "7", "--"]}


@pytest.mark.parametrize("command", FILES)
def test_a_file_growing_between_workers_is_refused(
    own_data, tmp_path, monkeypatch, capsys, command
):
    path = tmp_path / ("a.json" if command == "check" else "a.npz")
    if command == "check":
        path.write_text(json.dumps(FILES[command]))
    else:
        np.savez(path, **FILES[command])
    words = [command, *WORDS.get(command, ()), str(path)]
    call = answers.call

    def grown(*args, **options):
        answer = call(*args, **options)
        with path.open("ab") as file:
            file.write(b" ")
        return answer

    with monkeypatch.context() as patched:
        patched.setattr(answers, "call", grown)
        assert main(words) == 2
    assert "expected a file that stays the same while it is read" in capsys.readouterr().err
    assert not imports.names()
