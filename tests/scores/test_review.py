"""``zslcore check --page``: one page on a submission, with the command that repeats it."""

import re
import shlex
from html import unescape
from pathlib import Path

import numpy as np
import pytest
from scipy.io import savemat

from tests.datasets import files
from tests.datasets.conftest import in_process  # noqa: F401 - a fixture
from zslcore.__main__ import main
from zslcore.leakage.render import to_text
from zslcore.leakage.report import without_options
from zslcore.scores.judging import judge_predicted
from zslcore.scores.predicted import read_predicted
from zslcore.scores.review import Submission, review, review_html, scrub_names

pytestmark = pytest.mark.usefixtures("in_process")
#: Texts that must not be in a blind review.
AUTHOR = "ann_lee"
UNSEEN = np.array([3, 4])


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Files of a submission: a leaking split, a clean split, and scores."""
    where = tmp_path / f"of_{AUTHOR}"
    files.write_folder(where)
    monkeypatch.chdir(where)
    (where / "att_splits.mat").rename(where / f"{AUTHOR}.mat")
    leak = {"train_loc": np.append(files.TRAINVAL, files.TEST_SEEN)[:, None] + 1.0}
    savemat(where / f"{AUTHOR}_leaks.mat", files.splits_file(**leak))
    y = files.LABELS[np.concatenate([files.TEST_SEEN, files.UNSEEN])]
    write_scores(where / f"{AUTHOR}.npz", y, seed=0)
    write_scores(where / f"{AUTHOR}_other.npz", y[:-3], seed=1)
    fold = np.repeat([0, 1, 2, 5, 6, 7], 4)
    names = [*files.CLASSES, *(f"bird {k}" for k in range(3))]
    write_scores(where / f"{AUTHOR}_fold.npz", fold, seed=2, names=names, unseen=[5, 6, 7])
    return where


def write_scores(path, y, seed, names=files.CLASSES, unseen=UNSEEN):
    F = np.random.default_rng(seed).normal(size=(len(y), len(names))) + 2 * np.eye(len(names))[y]
    content = {"unseen_classes": np.asarray(unseen), "class_names": np.array(names)}
    np.savez(path, scores=F, y=y, **content)


def write_page(*words, code=None, page="page.html"):
    """Write the page on files with options; return the exit status."""
    status = main(["check", *map(str, words), "--page", page])
    assert code is None or status == code
    return status


def text_of_page(page="page.html"):
    """Return the text of a page."""
    text = Path(page).read_text(encoding="utf-8")
    text = re.sub(r"<(style|script|svg)\b.*?</\1>", " ", text, flags=re.DOTALL)
    return unescape(" ".join(re.sub(r"<[^>]+>", " ", text).split()))


def together(text):
    """Return a text without line ends, indents and options, for comparison."""
    text = without_options(" ".join(text.split())).replace("γ", "gamma")
    return " ".join(text.split()).casefold()


def submission(**files):
    from zslcore.commands.score import score_report

    report = score_report(files["scores"]) if "scores" in files else None
    return Submission(files=files, report=report, extractor="ResNet-101", command="zslcore check")


@pytest.mark.nightly
def test_the_command_printed_on_a_page_writes_the_same_page(folder):
    words = [f"{AUTHOR}_leaks.mat", f"{AUTHOR}.npz", "--features", "res101.mat"]
    words += ["--validation", f"{AUTHOR}_fold.npz", "--pretraining", "none"]
    code = write_page(*words)
    text = remove_times(text_of_page())
    command = shlex.split(re.search(r"To repeat: (.*?--page page.html)", text)[1])
    Path("page.html").unlink()
    assert main(command[1:]) == code
    assert remove_times(text_of_page()) == text


def remove_times(text):
    """Remove the time at which a page was made."""
    return re.sub(r"\d\d:\d\d:\d\d", "", text)


def test_the_extractor_may_be_spelled_differently(folder, capsys):
    words = [f"{AUTHOR}.mat", "--extractor", "resnet 101"]
    assert write_page(*words) == 3  # near-duplicates need features
    out = together(text_of_page())
    assert "of the 2 test classes" in out
    assert write_page(f"{AUTHOR}.mat", "--extractor", "vgg19") == 3
    write_page(f"{AUTHOR}.mat", "--extractor", "resnet", code=2)
    assert "did you mean" in capsys.readouterr().err


def test_the_worst_verdict_counts_and_is_the_exit_status(folder, capsys):
    split, scores = f"{AUTHOR}.mat", f"{AUTHOR}.npz"
    leaks = [f"{AUTHOR}_leaks.mat", scores, "--pretraining", "none"]
    write_page(*leaks, code=1)
    assert capsys.readouterr().out.startswith("LEAKS: ")
    write_page(split, scores, "--pretraining", "none", code=3)
    assert capsys.readouterr().out.startswith("UNKNOWN: ")
    stated = ["--hyperparameters-on", "validation", "--epochs-on", "none", "--gamma-on"]
    stated += ["validation", "--prototypes-from", "independent", "--pretraining", "none"]
    whole = [split, scores, "--features", "res101.mat"]
    write_page(*whole, "--validation", f"{AUTHOR}_fold.npz", *stated, code=0)
    write_page(*whole, "--validation", scores, *stated, code=2)  # not validation scores


def test_gamma_of_test_images_is_an_oracle(folder, capsys):
    content = dict(np.load(f"{AUTHOR}.npz"))
    np.savez("again.npz", **content | {"scores": 2 * content["scores"] + 1})
    write_page(f"{AUTHOR}.npz", "--validation", "again.npz", code=1)
    assert capsys.readouterr().out.startswith("LEAKS: ")


def test_verified_predictions_give_no_warning(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("ZSL_DATA", str(tmp_path))
    file = tmp_path / "p.parquet"
    assert main(["run", "--method", "ESZSL", "--no-oracle", "--predictions", str(file)]) == 0
    report = judge_predicted(read_predicted(file))
    result, scores = review(Submission(report=report, files={"scores": file}))
    assert "warning" not in {finding.mark for finding in result.findings}
    assert "Joint label space, chosen" in review_html(result, scores)


def test_scores_of_other_images_contradict_the_split(folder, capsys):
    write_page(f"{AUTHOR}.mat", f"{AUTHOR}_other.npz", "--pretraining", "none", code=2)
    assert capsys.readouterr().out.startswith("BROKEN: ")
    write_page(f"{AUTHOR}.mat", f"{AUTHOR}.npz", "--pretraining", "none")
    text = together(text_of_page())
    assert "no scored image leaks: u " in text


def test_printed_metrics_are_reproduced_or_contradict_the_scores(folder, capsys):
    options = (f"{AUTHOR}.mat", f"{AUTHOR}.npz", "--pretraining", "none")
    write_page(*options, "--printed", "u 100, H 1", code=2)
    text = together(text_of_page())
    assert text.startswith("broken") or " broken " in text[:300]
    assert "not reproduced by any protocol; the scores give" in text
    assert "to repeat: zslcore check" in text
    assert "--printed 'u 100, h 1'" in text
    u = re.search(r"no scored image leaks: u ([0-9.]+) %", text)[1]
    write_page(*options, "--printed", f"u {u}")
    assert "reproduced by joint label space" in together(text_of_page())
    write_page(f"{AUTHOR}.mat", "--printed", "u 1", code=2)


def test_a_blind_review_has_no_name_and_no_path(folder, capsys):
    options = [str(folder / f"{AUTHOR}_leaks.mat"), f"./{AUTHOR}.npz"]
    options += ["--validation", f"{AUTHOR}_fold.npz", "--extractor", "ResNet-101"]
    write_page(*options, page="open.html", code=1)
    assert AUTHOR in (folder / "open.html").read_text(encoding="utf-8")
    capsys.readouterr()
    write_page(*options, "--blind", page="blind.html", code=1)
    text = (folder / "blind.html").read_text(encoding="utf-8")
    assert AUTHOR not in text
    assert folder.parent.name not in text
    page = unescape((folder / "blind.html").read_text(encoding="utf-8"))
    repeat = "check split.mat ./scores.npz --validation validation_1.npz --extractor ResNet-101"
    assert f"zslcore {repeat} --blind --page blind.html" in page
    assert scrub_names(r"C:\Users\ann\x.mat and /home/ann/run.npz, 1/2 of A/B", {}) == (
        "(path) and (path), 1/2 of A/B"
    )


def test_files_of_all_options_are_read_listed_and_hidden_in_a_blind_review(folder, capsys):
    for name, lines in (
        ("labels", map(str, arrays_of_author(folder)["y"])),
        ("unseen", UNSEEN.astype(str)),
        ("pretraining", [files.CLASSES[3], "x", "y"]),
    ):
        (folder / f"{AUTHOR}_{name}.txt").write_text("\n".join(lines) + "\n")
    np.save(folder / f"{AUTHOR}_bare.npy", arrays_of_author(folder)["scores"])
    options = [f"./{AUTHOR}_bare.npy", f"./{AUTHOR}_labels.txt"]
    options += ["--unseen", f"{AUTHOR}_unseen.txt", "--pretraining", f"./{AUTHOR}_pretraining.txt"]
    write_page(*options)
    text = text_of_page()
    assert all(f"{AUTHOR}_{name}.txt" in text for name in ("labels", "unseen", "pretraining"))
    write_page(*options, "--blind", page="blind.html")
    text = (folder / "blind.html").read_text(encoding="utf-8")
    assert AUTHOR not in text
    assert "labels_of_the_scores.txt" in text


def arrays_of_author(folder):
    with np.load(folder / f"{AUTHOR}.npz") as file:
        return {name: file[name] for name in file}


@pytest.mark.parametrize("split", [True, False])
@pytest.mark.parametrize("extractor", ["", "OpenCLIP (LAION-2B)"])
def test_a_training_list_with_test_classes_is_always_a_leak(folder, split, extractor, capsys):
    (folder / "own.txt").write_text("\n".join(files.CLASSES) + "\n")
    words = [f"{AUTHOR}.npz", *([f"{AUTHOR}.mat"] if split else [])]
    words += ["--extractor", extractor] if extractor else []
    write_page(*words, "--pretraining", "own.txt", code=1)
    assert capsys.readouterr().out.startswith("LEAKS")


def test_labels_next_to_the_split_are_found_and_a_folder_is_refused(folder, monkeypatch, capsys):
    (folder / "res101.mat").rename(folder / "lab.mat")
    monkeypatch.chdir(folder.parent)
    write_page(folder / f"{AUTHOR}.mat", "--labels", "lab.mat")
    assert "lab.mat" in text_of_page()
    write_page(folder, code=2)
    assert capsys.readouterr().err.startswith("zslcore: ")


def test_a_page_loads_nothing_and_escapes_untrusted_text(folder):
    path = folder / "<img src=x onerror=alert(1)>.npz"
    (folder / f"{AUTHOR}.npz").rename(path)
    page = review_html(*review(submission(split=folder / f"{AUTHOR}.mat", scores=path)))
    assert "<img" not in page
    assert not re.search(r"""(?:src|href)=["'](?!#|data:)""", page)
    assert "default-src 'none'" in page
    main_part = page[page.index("<main>") :]
    order = ["<h1", "<h2>Open", "<h2>Files read", "To repeat", "<h2>Metrics"]
    places = [main_part.index(item) for item in order]
    assert places == sorted(places)
    assert "AUROC" in page


def test_a_split_or_scores_alone_are_enough_for_a_page(folder, capsys):
    write_page(f"{AUTHOR}.mat", "--validation", f"{AUTHOR}_fold.npz", code=2)
    assert "--validation: expected scores as well" in capsys.readouterr().err
    write_page(f"{AUTHOR}.npz", code=3)
    out = together(text_of_page())
    assert "the pre-training set is unknown" in out
    assert "this file does not show which images the model was trained on." in out
    result, scores = review(Submission(files={"split": folder / f"{AUTHOR}.mat"}))
    assert "<h2>Curve" not in review_html(result, scores)
    assert to_text(result).startswith("UNKNOWN")


@pytest.mark.nightly
def test_the_first_version_of_cubs_split_and_released_scores(shared, tmp_path, capsys):
    data = shared / "data"
    words = [data / "xlsa17" / "CUB" / "att_splits_v1.mat", data / "gzsl_scores/CUB_XianGAN.npz"]
    words += ["--extractor", "resnet101", "--blind"]
    write_page(*words, page=str(tmp_path / "cub.html"), code=1)
    page = (tmp_path / "cub.html").read_text(encoding="utf-8")
    assert len(page) < 300_000
    assert ">Leaks</h1>" in page
    for fact in ("All 1,764 rows of test_seen", "0 of 50", "H 49.8 %", "+1.7 to +6.4"):
        assert fact in page, fact
    assert "that leak, u " in page
    assert "XianGAN" not in page
    assert str(shared) not in page
