"""The command line: exit codes and sentences."""

import pytest

from tests.datasets import files
from zslcore.__main__ import main
from zslcore.datasets import load


@pytest.fixture(autouse=True)
def _fresh_imports(monkeypatch, tmp_path):
    monkeypatch.setenv("ZSL_DATA", str(tmp_path / "data"))


def test_import_prints_what_was_imported(tmp_path, capsys):
    folder = files.write_folder(tmp_path / "Toy")
    assert main(["import", str(folder), "--name", "mine"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    for fact in (
        "mine",
        "30 x 7",
        "5 x 4",
        load("mine").digest,
        "none that is known",
        "3 seen and",
    ):
        assert fact in out


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["import", "{folder}/none"], "expected a folder with res101.mat"),
        (["import", "{folder}", "--features", "vgg.mat"], "(--features)"),
        (["import", "{folder}", "--unseen", "bat"], "--unseen means nothing for a folder"),
        (["import", "{folder}/res101.mat", "--splits", "x"], "--splits means nothing for a file"),
        (["import", "{folder}/res101.mat"], "expected NumPy archive or HDF5"),
        (["import", "{folder}", "--name", "../up"], "A data set's name must be"),
        (["download", "xlsa"], "did you mean 'xlsa17'"),
    ],
)
def test_a_refusal_is_one_line_and_exit_code_2(tmp_path, capsys, arguments, sentence):
    folder = files.write_folder(tmp_path / "Toy")
    assert main([part.format(folder=folder) for part in arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert sentence in err
    assert err.count("\n") == 1


def test_a_missing_command_is_exit_code_2(capsys):
    with pytest.raises(SystemExit) as caught:
        main([])
    assert caught.value.code == 2
    assert "usage" in capsys.readouterr().err
