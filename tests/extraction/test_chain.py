"""All steps in one test: images, features, audit, run, board."""

import json

import pytest
from PIL import Image

from tests.extraction.making import write_folder
from zslcore.__main__ import main
from zslcore.board.checking import read_board
from zslcore.datasets import load
from zslcore.exceptions import ZSLError
from zslcore.extraction.encoders import torchvision
from zslcore.results.store import ResultStore

ANIMALS = ("bat", "cow", "deer", "fox", "goat", "otter", "seal", "zebra")


@pytest.mark.nightly
def test_images_are_extracted_audited_run_and_put_on_the_board(own_data, tmp_path, capsys, printed):
    try:
        torchvision()
    except ZSLError as error:
        pytest.skip(str(error))
    images = write_folder(tmp_path / "images", per_class=5, classes=ANIMALS)
    grey = next(images.rglob("1.png"))
    Image.open(grey).convert("L").save(grey)
    rows = [f"{name},{k % 2},{k // 2 % 2},{k // 4}" for k, name in enumerate(ANIMALS)]
    side = tmp_path / "attributes.csv"
    side.write_text("class,striped,big,swims\n" + "\n".join(rows) + "\n")
    words = ["extract", str(images), "--encoder", "resnet18", "--weights", "random", "--batch", "8"]
    words += ["--resize", "40", "--crop", "32", "--workers", "0", "--crops", "10"]
    words += ["--attributes", str(side), "--unseen", "seal", "zebra", "--name", "animals"]
    output = printed(*words, "--output", tmp_path / "animals.npz")
    assert "40 images x 512 features, 8 classes" in output
    assert "encoder resnet18; weights random, seed 0; SHA-256 " in output
    assert f"1 unusual image (grey): {grey.relative_to(images).as_posix()}\n" in output
    assert load("animals").pretraining == ("none",)

    assert main(["check", "--format", "text", "animals", "--format", "json"]) in (0, 1, 3)
    output = {f["check"]: f for f in json.loads(capsys.readouterr().out)["findings"]}
    assert output["ZSL006"]["mark"] == "ok"  # random weights were trained on no class
    assert output["ZSL001"]["mark"] == "ok"

    assert main(["run", "--dataset", "animals", "--method", "LinearS2V", "--no-oracle"]) == 0
    (stored,) = ResultStore().results()
    board = tmp_path / "board"
    html = tmp_path / "board.html"
    words = ["board", str(board), "--add", stored.key, "--who", "Ada", "--output", str(html)]
    assert main(words) == 0
    (entry,) = read_board(board).results
    assert entry.entry.figures.zsl == pytest.approx(stored.evaluation.zsl, abs=1e-6)
    assert entry.overlap_word == "clean"
    assert entry.entry.data.pretraining == ("none",)
    assert "mean over 10 crops of 32" in entry.entry.data.features
    assert entry.entry.gamma.origin == "validated"
    assert "Ada" in html.read_text()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (
            ["--name", "x"],
            "--name: also expected class embeddings (--attributes, --text or --prompts)",
        ),
        (["--attributes", "a.csv"], "--attributes and --unseen: expected --name"),
        (
            ["--attributes", "a.csv", "--text", "{}"],
            "--attributes and --text: expected only one of them; got 2",
        ),
        (
            ["--prompts", "a.json", "--text", "{}"],
            "--text and --prompts: expected only one of them",
        ),
        (["--prompts", "none.json"], "none.json"),
        (["--attributes", "ATTRIBUTES", "--unseen", "seal", "--name", "x"], "Unknown class in "),
        (["--text", "{}", "--unseen", "seals", "--name", "x"], "did you mean 'seal'?"),
    ],
)
def test_contradictory_options_are_refused_before_an_extraction(words, sentence, tmp_path, printed):
    images = write_folder(tmp_path / "images", per_class=1)
    (tmp_path / "a.csv").write_text("class,big\nbat,1\notter,0\nseal,1\nzebras,0\n")
    words = [str(tmp_path / "a.csv") if word == "ATTRIBUTES" else word for word in words]
    err = printed("extract", images, "--encoder", "resnet18", *words, status=2)
    assert sentence in err
    assert err.count("\n") == 1
