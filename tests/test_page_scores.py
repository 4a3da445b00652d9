"""Your scores: examples at once, files with questions, figures that are the command's."""

from pathlib import Path

import numpy as np
import pytest

import ui.scores
from tests import pages
from tests.pages import metrics, words
from ui.scores import Brought
from ui.sections.scores import TABS
from zslcore.datasets import load
from zslcore.evaluation.protocol import fit_and_score
from zslcore.evaluation.runs import execute
from zslcore.evaluation.specs import RunSpec
from zslcore.leakage.test_sets import known_tests
from zslcore.methods import get_method
from zslcore.scores import ScoreFile, interpreted, judge
from zslcore.scores.apart import judged_apart
from zslcore.scores.context import is_of

PAGE = "pages/scores.py"
REAL = Path(__file__).parents[2] / "shared" / "data" / "gzsl_scores"


@pytest.fixture(scope="module")
def scored():
    digits = load("digits")
    return fit_and_score(get_method("ESZSL")(), digits, digits.split("PS"))


def test_scores_of_three_methods_are_there_to_begin_with():
    app = pages.visit(PAGE)
    digits = load("digits")
    run = execute(RunSpec("digits", "PS", "LinearS2V"), digits, with_oracle=False)
    shown = metrics(app)
    assert shown["AUSUC"] == f"{100 * run.evaluation.ausuc:.1f} %"
    assert shown["H, validated γ"] == f"{100 * run.evaluation.calibrated.harmonic:.1f} %"
    assert "LinearS2V on digits" in words(app)


@pytest.mark.parametrize("tab", TABS)
def test_every_tab_shows_something(tab):
    app = pages.visit(PAGE)
    app.session_state["scores_tab"] = tab
    app.run()
    assert not app.exception
    said = {
        "Beside another": "McNemar",
        "Split and overlaps": "unseen classes are among those of",
        "Printed figures": "not recognised as those of",
    }
    if tab in said:
        assert said[tab] in words(app)
    else:
        assert app.dataframe or app.get("plotly_chart") or app.code


def uploaded(app, path):
    return app.file_uploader(key="scores_files").upload(path.name, path.read_bytes()).run()


def test_a_file_with_a_question_waits_for_its_answer(tmp_path, scored):
    path = tmp_path / "own.npz"
    np.savez(path, scores=-scored.F, y=scored.y, unseen_classes=np.flatnonzero(~scored.seen))
    app = pages.visit(PAGE)
    uploaded(app, path)
    assert "are these distances?" in words(app)
    app.radio[0].set_value(app.radio[0].options[0]).run()
    assert not app.exception
    assert metrics(app)["AUSUC"] == f"{100 * scored.curve.ausuc:.1f} %"
    assert "No γ is chosen for these scores." in words(app)


def test_two_files_of_one_name_are_two(tmp_path, scored):
    """Each has questions of its own, and an answer is the answer to one of them."""
    unseen = np.flatnonzero(~scored.seen)
    held = []
    for folder, scores in {"a": -scored.F, "b": -2 * scored.F}.items():
        (tmp_path / folder).mkdir()
        path = tmp_path / folder / "own.npz"
        np.savez(path, scores=scores, y=scored.y, unseen_classes=unseen)
        held.append(path)
    app = pages.visit(PAGE)
    for path in held:
        app.file_uploader(key="scores_files").upload(path.name, path.read_bytes())
    app.run()
    assert not app.exception
    assert words(app).count("are these distances?") == 2
    app.radio[0].set_value(app.radio[0].options[0]).run()
    assert words(app).count("are these distances?") == 2
    assert app.radio[1].value is None
    app.radio[1].set_value(app.radio[1].options[0]).run()
    assert not app.exception
    assert metrics(app)["AUSUC"] == f"{100 * scored.curve.ausuc:.1f} %"


def test_what_was_brought_is_there_when_one_comes_back(tmp_path, scored):
    path = tmp_path / "own.npz"
    np.savez(path, scores=scored.F, y=scored.y, unseen_classes=np.flatnonzero(~scored.seen))
    app = pages.visit(PAGE)
    uploaded(app, path)
    kept = app.session_state["scores_brought"]
    again = pages.visit("pages/evaluate.py")
    again.session_state["scores_brought"] = kept
    again.switch_page(PAGE).run()
    assert "You brought these files earlier on this visit." in words(again)
    assert r"own\.npz: 785 images" in words(again)
    again.button(key="scores_forget").click().run()
    assert "LinearS2V on digits" in words(again)


def many(tmp_path, scored, n):
    """Write ``n`` files of scores, each on a scale of its own."""
    for k in range(n):
        path = tmp_path / f"own{k}.npz"
        scores = (k + 1) * scored.F
        np.savez(path, scores=scores, y=scored.y, unseen_classes=np.flatnonzero(~scored.seen))
        yield path


def test_however_many_files_there_are_each_is_read_once(tmp_path, scored, monkeypatch):
    read = []
    monkeypatch.setattr(
        ui.scores,
        "judged_apart",
        lambda *given, **limits: read.append(given) or judged_apart(*given, **limits),
    )
    app = pages.visit(PAGE)
    for path in many(tmp_path, scored, 6):
        app.file_uploader(key="scores_files").upload(path.name, path.read_bytes())
    app.run()
    app.run()
    assert not app.exception
    assert len(read) == 6
    assert len(app.session_state["scores_brought"]) == 6


def test_gamma_of_another_file_is_forgotten(tmp_path, scored):
    first, second = many(tmp_path, scored, 2)
    app = pages.visit(PAGE)
    uploaded(app, first)
    app.number_input(key="scores_gamma").set_value(0.03).run()
    assert "H at γ = 0.03" in metrics(app)
    app.file_uploader(key="scores_files").set_value((second.name, second.read_bytes(), "")).run()
    assert not app.exception
    assert app.number_input(key="scores_gamma").value is None
    assert "H at γ = 0.03" not in metrics(app)


def test_the_printed_command_says_how_validation_scores_were_read(tmp_path, scored):
    test, chosen_on = many(tmp_path, scored, 2)
    np.savez(test, scores=-scored.F, y=scored.y, unseen_classes=np.flatnonzero(~scored.seen))
    app = pages.visit(PAGE)
    app.file_uploader(key="scores_val").upload(chosen_on.name, chosen_on.read_bytes())
    uploaded(app, test)
    app.radio[0].set_value(app.radio[0].options[0]).run()
    app.session_state["scores_tab"] = "Reproduce"
    app.run()
    assert "--fix distances --validation-fix as-is" in app.code[0].value


@pytest.mark.parametrize("peeked", [True, False])
def test_validation_scores_of_test_images_are_an_oracle_on_the_page(tmp_path, scored, peeked):
    unseen, rows = np.flatnonzero(~scored.seen), slice(None, None, 2)
    np.savez(tmp_path / "own.npz", scores=scored.F, y=scored.y, unseen_classes=unseen)
    F, y = scored.F[rows], scored.y[rows]
    if not peeked:
        seen = np.flatnonzero(scored.seen)
        y, unseen = np.random.default_rng(0).choice(seen, 200), seen[:2]
        F = np.eye(scored.F.shape[1])[y] + np.random.default_rng(1).normal(size=(200, F.shape[1]))
    np.savez(tmp_path / "val.npz", scores=F, y=y, unseen_classes=unseen)
    app = pages.visit(PAGE)
    app.file_uploader(key="scores_val").upload("val.npz", (tmp_path / "val.npz").read_bytes())
    uploaded(app, tmp_path / "own.npz")
    assert not app.exception
    assert ("H, validated γ" in metrics(app)) == (not peeked)
    assert any("this is an oracle" in warning.value for warning in app.warning) == peeked
    assert "No γ is chosen for these scores." not in words(app)


def known_scores(tmp_path):
    """Scores with the labels of AWA2's standard split, which say which classes are unseen."""
    known = next(k for k in known_tests() if (k.benchmark, k.split) == ("AWA2", "SS"))
    y = np.repeat(np.arange(len(known.counts)), known.counts)
    scores = np.random.default_rng(0).normal(size=(len(y), len(known.counts))).astype(np.float16)
    np.savez_compressed(tmp_path / "own.npz", scores=scores, y=y)
    return tmp_path / "own.npz"


def test_a_known_test_set_brings_printed_figures_and_overlaps(tmp_path):
    app = pages.visit(PAGE)
    uploaded(app, known_scores(tmp_path))
    assert not app.exception
    assert "H at γ = 0" not in metrics(app)  # there is no curve without seen test images
    app.session_state["scores_tab"] = "Printed figures"
    app.run()
    table = app.dataframe[0].value
    assert table["method"].iloc[0] == "own.npz"
    assert "GFZSL" in set(table["method"])
    app.session_state["scores_tab"] = "Split and overlaps"
    app.run()
    assert "**AWA2, split SS**" in words(app)
    assert metrics(app)["OverlapGain"].endswith("%")


def test_other_pages_show_what_was_brought(scored):
    digits = load("digits")
    file = ScoreFile("own.npz", scored.F, scored.y, np.flatnonzero(~scored.seen))
    brought = Brought(judge(interpreted(file)[0], gamma=0.02), "command")
    app = pages.visit("pages/calibration.py", dataset="digits", method="LinearS2V")
    app.session_state["scores_brought"] = (brought,)
    app.run()
    beside = app.selectbox(key="calibration_beside")
    assert "own.npz (your scores)" in beside.options
    beside.set_value("own.npz (your scores)").run()
    assert not app.exception
    assert is_of(brought.matrix, digits, "PS")


@pytest.mark.skipif(not REAL.is_dir(), reason="needs the real score files")
@pytest.mark.parametrize(
    ("name", "of", "figures", "ausuc"),
    [
        ("AWA1_LAGO", "AWA1", (21.8, 73.6, 33.7), 43.41),
        ("CUB_XianGAN", "CUB", (45.1, 55.5, 49.8), 34.48),
    ],
)
def test_real_scores_show_their_published_figures(name, of, figures, ausuc):
    app = pages.visit(PAGE)
    uploaded(app, REAL / f"{name}.npz")
    assert not app.exception
    assert not app.radio  # nothing about them is open
    shown = metrics(app)
    u, s, H = figures
    assert shown["H at γ = 0"] == f"{H} %"
    assert shown["AUSUC"].endswith(" %")
    app.session_state["scores_tab"] = "Printed figures"
    app.run()
    ours = app.dataframe[0].value.iloc[0]
    assert ours["method"] == f"{name}.npz"
    assert [round(ours[figure], 1) for figure in ("u", "s", "H")] == [u, s, H]  # as it is shown
    assert f"AUSUC of your scores: {ausuc} %." in words(app)
    app.session_state["scores_tab"] = "Split and overlaps"
    app.run()
    assert f"**{of}, split PS**" in words(app)
