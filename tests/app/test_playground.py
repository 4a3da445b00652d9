"""Playground: data sent to the browser, and the effect of choices."""

import json
import subprocess
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from tests.pages import ROOT, sent_down, until, visit
from ui.components.playground import DatasetTile, Ghost, Instrument, Rail, RunChoice
from ui.playground import answers, rulers
from ui.playground import instrument as play
from ui.state import cache, waiting
from zslcore.analysis.study import run_seconds
from zslcore.evaluation import runs
from zslcore.evaluation.predicted_tests import ScoredTest
from zslcore.evaluation.specs import RunSpec
from zslcore.exceptions import DatasetError
from zslcore.interactive.one_file import SHARED
from zslcore.interactive.seen_unseen import InteractiveCurve, line_of
from zslcore.jobs import Status
from zslcore.methods import METHODS
from zslcore.results.store import ResultStore
from zslcore.storage import extras

COMPONENT = "zsl_playground"
RAIL = Rail(
    [DatasetTile("one", "One", 12, "real")], [], ["PS"], {}, RunChoice("one", "PS", "ESZSL")
)
READ = """
    import { readFileSync } from "node:fs";
    const { readInstrument, NONE } = await import(WIRE);
    const { Tally } = await import(TALLY);
    const { pointAt } = await import(CURVE);
    const { describeImage } = await import(CARD);
    const head = readInstrument(new Uint8Array(readFileSync(DATA)));
    const tally = new Tally(head.images);
    const out = GAMMAS.map((gamma) => ({
        ...pointAt(head.lines[0], gamma), right: [...tally.moveTo(gamma).right],
        changed: tally.switched,
        words: [...head.answers.order].map((_, k) => describeImage(head, k, gamma).answer) }));
    console.log(JSON.stringify({ out, order: [...head.answers.order],
        ghosts: head.ghosts.map(({ n, seen }) => [n, seen.length]),
        ink: head.pictures && [...head.pictures.ink] }));
"""


def tied(seed=0, n=300, classes=12):
    """Scores with few distinct values, so that many images switch sides at one gamma."""
    rng = np.random.default_rng(seed)
    y = np.append(np.arange(classes), rng.integers(0, classes, n - classes))
    F = rng.integers(0, 6, (n, classes)).astype(np.float64)
    F[np.arange(n), y] += 2
    return ScoredTest(F, y, np.arange(classes), np.arange(classes) < 8)


def instrument(test, names, **more):
    line = line_of("one", test.curve, "harmonic", None, 0.0)
    curves = InteractiveCurve([line], test, names)
    return Instrument(curves, test, names, ("class", "classes"), RAIL, **more)


def read_in_node(node, folder, component, gammas):
    """Return the result of the browser's modules."""
    (folder / "data").write_bytes(component.packed())
    own = ROOT / "ui/components"
    named = {"DATA": str(folder / "data"), "GAMMAS": list(map(float, gammas))}
    modules = {"WIRE": "playground/wire.js", "CARD": "playground/image_card.js"}
    named |= {name: (own / path).as_uri() for name, path in modules.items()}
    named |= {"TALLY": (SHARED / "tally.js").as_uri(), "CURVE": (SHARED / "curve.js").as_uri()}
    text = "".join(f"const {name} = {json.dumps(value)};" for name, value in named.items())
    (folder / "read.mjs").write_text(text + READ, encoding="utf-8")
    run = subprocess.run(
        [node, folder / "read.mjs"], capture_output=True, text=True, encoding="utf-8", timeout=120
    )
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


@pytest.fixture(scope="module")
def digits():
    return runs.run(
        RunSpec(dataset="digits", split="PS", method="LinearS2V"), with_oracle=False
    ).scores


@pytest.mark.parametrize("kind", ["ties", "digits"])
def test_the_browser_counts_like_python_at_every_gamma(node, tmp_path, digits, kind):
    test = tied() if kind == "ties" else digits
    names = [f"c{c}" for c in test.classes]
    breaks = np.unique(test.switches.gamma)
    gammas = [0.0, -1e9, 1e9, *breaks[:: max(1, len(breaks) // 25)]]
    result = read_in_node(node, tmp_path, instrument(test, names), gammas)
    np.testing.assert_array_equal(np.sort(result["order"]), np.arange(len(test.y)))
    order = np.array(result["order"])
    present = np.unique(test.y)
    for gamma, shown in zip(gammas, result["out"], strict=True):
        point = test.curve.at(gamma)
        assert (shown["unseen"], shown["seen"]) == (point.unseen, point.seen)
        assert shown["changed"] == (test.switches.gamma <= gamma).sum()
        right, _ = test.switches.per_class(gamma)
        np.testing.assert_array_equal(shown["right"], right[present])
        to_seen = test.switches.gamma > gamma
        sides = test.best_classes.seen_class[order], test.best_classes.unseen_class[order]
        for words, seen, a, b, y in zip(
            shown["words"], to_seen, *sides, test.y[order], strict=True
        ):
            side, answer = ("seen", a) if seen else ("unseen", b)
            verdict = "right" if answer == y else "wrong"
            assert words == f"Predicted as {names[answer]} ({side}): {verdict}."


def test_pictures_and_grey_curves_reach_the_browser_unchanged(node, tmp_path):
    test, names = tied(), [f"c{c}" for c in range(12)]
    pictures = np.random.default_rng(1).integers(0, 256, (300, 3, 2)).astype(np.uint8)
    ghosts = [Ghost("two", tied(1).curve), Ghost("three", tied(2).curve)]
    component = instrument(test, names, pictures=pictures, ghosts=ghosts)
    result = read_in_node(node, tmp_path, component, [0.0])
    assert result["ink"] == pictures.ravel().tolist()
    assert result["ghosts"] == [[len(g.points()[0])] * 2 for g in ghosts]


def test_a_grey_curve_has_its_ends_and_no_visible_gap():
    rng = np.random.default_rng(0)
    F = rng.normal(size=(5000, 20))
    y = np.arange(5000) % 20
    F[np.arange(5000), y] += 1.5
    curve = ScoredTest(F, y, np.arange(20), np.arange(20) < 15).curve
    unseen, seen = Ghost("one", curve).points()
    assert len(unseen) < len(curve.unseen) / 2
    for end in (0, -1):
        assert abs(unseen[end] - curve.unseen[end]) <= 1 / 2048
        assert abs(seen[end] - curve.seen[end]) <= 1 / 2048
    near = np.abs(curve.unseen[:, None] - unseen) + np.abs(curve.seen[:, None] - seen)
    assert near.min(axis=1).max() < 1 / 512


def test_the_digest_of_the_wall_changes_only_with_its_images():
    names = [f"c{c}" for c in range(12)]
    tied_instrument = instrument(tied(), names)
    again = tied()
    other = ScoredTest(again.F[:, ::-1].copy(), again.y, again.classes, again.seen)
    assert instrument(other, names)._images_key() == tied_instrument._images_key()
    assert instrument(tied(3), names)._images_key() != tied_instrument._images_key()
    assert (
        replace(tied_instrument, names=names[::-1])._images_key() != tied_instrument._images_key()
    )


# --- The page -------------------------------------------------------------------------------------


def test_play_opens_on_the_first_method_on_digits_without_calibration():
    app = visit("play")
    head = sent_down(app, COMPONENT)
    assert head["rail"]["chosen"] == {"dataset": "digits", "split": "PS", "method": "LinearS2V"}
    assert head["lines"][0]["start"] == 0
    assert [stop["name"] for stop in head["lines"][0]["stops"]] == [
        *("uncalibrated", "validated", "best on test (oracle)")
    ]
    assert head["noun"] == ["digit", "digits"]
    assert head["pictures"] == {"width": 8, "height": 8}
    assert head["pending"] is None


def test_all_quick_methods_become_grey_curves():
    app = visit("play")
    quick = {"LinearV2S", "ESZSL", "SAE", "GFZSL"}
    until(app, lambda app: quick <= {g["name"] for g in sent_down(app, COMPONENT)["ghosts"]})
    names = [g["name"] for g in sent_down(app, COMPONENT)["ghosts"]]
    assert "LinearS2V" not in names


def test_the_address_has_the_choices_and_invalid_ones_are_ignored():
    app = visit("play", dataset="digits", method="ESZSL", playground_gamma="0.3")
    head = sent_down(app, COMPONENT)
    assert head["rail"]["chosen"]["method"] == head["lines"][0]["name"] == "ESZSL"
    assert head["lines"][0]["start"] == 0.3
    assert not app.toast
    for gamma in ("nan", "inf", "<b>", "1e400"):
        app = visit("play", dataset="../x", split="?", method="<b>", playground_gamma=gamma)
        head = sent_down(app, COMPONENT)
        assert head["rail"]["chosen"]["dataset"] == "digits"
        assert head["lines"][0]["start"] == 0
        assert ["data set" in each.value for each in app.toast] == [True, False]
        assert "method" in app.toast[1].value
        assert not app.run().toast  # reported once


def test_a_long_method_waits_for_its_button():
    app = visit("play", method="ALE")
    head = sent_down(app, COMPONENT)
    assert head["pending"]["covers"]
    assert head["pending"]["button"] == "Run it (10 to 30 s)"
    chips = {c["name"]: c["available"] for f in head["rail"]["families"].values() for c in f}
    assert chips["ESZSL"]
    assert not chips["ALE"]
    assert "PrototypeCosine" not in chips  # PrototypeCosine needs images and classes in one space


@pytest.mark.parametrize("public", ["0", "1"])
def test_a_method_with_a_missing_extra_is_grey_and_shows_the_install_command(public, monkeypatch):
    monkeypatch.setenv("ZSL_PUBLIC", public)
    monkeypatch.setattr(extras, "find_spec", lambda name: None if name == "torch" else "found")
    head = sent_down(visit("play", method="ALE"), COMPONENT)
    chips = {c["name"]: c for f in head["rail"]["families"].values() for c in f}
    assert {n for n, chip in chips.items() if chip["needs"]} == {
        name for name, method in METHODS.items() if method.card.extra
    }
    assert chips["ALE"]["title"].endswith("not run yet; needs PyTorch")
    assert head["pending"] == {
        "words": "ALE needs PyTorch (extra torch), which is not installed.",
        "button": "",
        "covers": True,
        "command": extras.install_command("torch") if public == "0" else "",
    }
    ruler = sent_down(visit("play", method="ESZSL", playground_ruler="images"), COMPONENT)
    assert ruler["pending"]["command"] == ""
    assert ruler["pending"]["button"]


def test_a_waiting_or_failed_run_is_described():
    waits = Status("queued", message="Waiting for 2 (two) jobs")
    failed = Status("failed", error="could_not be read (a *b*).")
    for status, words, button in (
        (waits, "Waiting for 2 (two) jobs. 0 s elapsed.", "Cancel"),
        (Status("queued", position=2), "Number 2 in the queue. 0 s elapsed.", "Cancel"),
        (Status("running"), "Starting a process. 0 s elapsed.", "Cancel"),
        (failed, failed.error, "Try again"),
    ):
        pending = answers.job_state("ALE", status, "words", "button", covers=True)
        assert (pending.words, pending.button) == (words, button)
    lacked = Status("failed", error=f"{extras.sentence('torch', 'ALE')} Install it with: x")
    pending = answers.job_state("ALE", lacked, "words", "button", covers=True)
    # Torch has been installed in the meantime.
    assert (pending.words, pending.button) == ("words", "button")


def test_a_split_without_seen_test_images_is_not_offered():
    head = sent_down(visit("play", dataset="simulated-aPY", split="SS"), COMPONENT)
    assert head["rail"]["chosen"]["split"] == "PS"
    assert "SS" not in head["rail"]["splits"]
    assert "SS has no test images of seen classes" in head["rail"]["split_note"]
    digits = sent_down(visit("play", dataset="digits"), COMPONENT)
    assert digits["rail"]["split_note"] == "Split PS, the only split of this data set"


def test_data_with_precomputed_results_are_shown_at_once(monkeypatch, tmp_path, precomputed):
    monkeypatch.setenv("ZSL_DATA", str(tmp_path))  # this folder has no imported features
    head = sent_down(visit("play", dataset="CUB-vgg_fc7"), COMPONENT)
    assert head["images"]["n"] == 1764 + 2967
    assert head["pending"] is None
    assert len(head["ghosts"]) >= 3
    kinds = {tile["key"]: tile["kind"] for tile in head["rail"]["tiles"]}
    assert kinds["digits"] == "real"
    assert kinds["CUB-vgg_fc7"] == "precomputed"


# --- Pictures -------------------------------------------------------------------------------------


def labels_of_pictures(digits, pictures):
    """Return the label of each picture; different digits have different pictures."""
    labels = dict(zip(map(np.ndarray.tobytes, digits.images), digits.labels, strict=True))
    return [labels[picture.tobytes()] for picture in pictures]


def same_labels(spec, stored):
    digits = cache.dataset("digits")
    pictures = play._pictures(digits, spec.split, stored.test)
    np.testing.assert_array_equal(
        labels_of_pictures(digits, pictures), stored.test.classes[stored.test.y]
    )


@pytest.mark.parametrize("source", ["shipped", "stored", "now"])
def test_each_picture_belongs_to_the_label_of_its_prediction(source, monkeypatch, own_data):
    monkeypatch.setenv("ZSL_SHIPPED", "1" if source == "shipped" else "0")
    digits = cache.dataset("digits")
    specs = [RunSpec.of(digits, "PS", name) for name in answers.methods_of(digits, "PS")]
    if source == "shipped":
        result = [(s, stored) for s in specs if (stored := waiting.stored_run(s)) is not None]
        lacking = {spec.method for spec in specs} - {spec.method for spec, _ in result}
        assert lacking == {"f-CLSWGAN", "CADA-VAE", "CE-GZSL"}
    else:
        quick = [spec for spec in specs if waiting.is_quick(spec)]
        result = [runs.run(spec, digits, store=ResultStore()) for spec in quick]
        now = [(run.result.spec, waiting.PredictedRun(run.result, run.scores)) for run in result]
        result = now if source == "now" else [(spec, waiting.stored_run(spec)) for spec in quick]
        assert len(result) >= 4
    for spec, stored in result:
        same_labels(spec, stored)
    same_labels(specs[0], answers.preview(digits, "PS"))


def test_pictures_follow_the_order_of_images_at_each_stop_of_a_ruler():
    digits = cache.dataset("digits")
    spec = RunSpec.of(digits, "PS", "SAE")
    result = rulers.stops_of("lambda", spec, answers.available_run(spec)).answers()
    for test in result.tests:
        same_labels(spec, SimpleNamespace(test=test))


def test_predictions_of_other_rows_are_refused():
    digits = cache.dataset("digits")
    test = answers.available_run(RunSpec.of(digits, "PS", "LinearS2V")).test
    swapped = SimpleNamespace(y=test.y[::-1], classes=test.classes)
    with pytest.raises(DatasetError, match=r"digits, split 'PS': expected predictions of 785 test"):
        answers.dataset_rows(digits, "PS", swapped)


# --- Other rulers ---------------------------------------------------------------------------------


def test_the_reference_of_the_lambda_ruler_is_the_value_of_the_run():
    head = sent_down(visit("play", method="SAE", playground_ruler="lambda"), COMPONENT)
    ruler = head["ruler"]
    assert (ruler["kind"], ruler["note"], len(head["frames"])) == ("lambda", "", 15)
    assert ruler["words"][ruler["reference"]] == "0.316"
    assert ruler["start"] == ruler["reference"]
    names = {stop["name"]: stop["place"] for stop in ruler["named"]}
    assert names["validated"] == ruler["reference"]
    assert names["tuned for ZSL"] != names["validated"]
    plain = sent_down(visit("play", method="SAE"), COMPONENT)
    stops = {stop["name"]: stop["gamma"] for stop in plain["lines"][0]["stops"]}
    at = head["frames"][ruler["reference"]]["lines"][0]
    assert at["start"] == pytest.approx(stops["validated"], abs=1e-9)
    assert plain["frames"] == []


def test_the_address_has_the_stop_of_the_ruler():
    request = {"method": "SAE", "playground_ruler": "lambda"}
    head = sent_down(visit("play", **request, playground_value="10"), COMPONENT)
    assert head["ruler"]["words"][head["ruler"]["start"]] == "10"
    for value in ("1e+01", "1e 01", "10.0"):  # a typed plus arrives as a space
        same = sent_down(visit("play", **request, playground_value=value), COMPONENT)
        assert same["ruler"]["start"] == head["ruler"]["start"]
    for value in ("11", "<b>", "", "nan"):
        odd = sent_down(visit("play", **request, playground_value=value), COMPONENT)
        assert odd["ruler"]["start"] == odd["ruler"]["reference"]
        assert odd["key"] == head["key"]  # an equal key keeps the browser from drawing it again
    assert sent_down(visit("play", playground_ruler="<b>"), COMPONENT)["ruler"]["kind"] == "gamma"


@pytest.mark.parametrize(
    ("shipped", "choices", "message"),
    [
        ("0", {"method": "ALE"}, "Run ALE first."),
        ("1", {"method": "ALE"}, "ALE has no λ."),
        (
            "1",
            {"dataset": "CUB-vgg_fc7"},
            "Only precomputed results of CUB birds, VGG are available; import its features.",
        ),
    ],
)
def test_a_ruler_without_stops_has_a_reason(monkeypatch, shipped, choices, message, own_data):
    monkeypatch.setenv("ZSL_SHIPPED", shipped)
    head = sent_down(visit("play", playground_ruler="lambda", **choices), COMPONENT)
    assert (head["frames"], head["ruler"]["note"]) == ([], message)


def test_unlabelled_images_are_a_job_started_on_request(monkeypatch, tmp_path):
    monkeypatch.setenv("ZSL_DATA", str(tmp_path))
    monkeypatch.setenv("ZSL_SHIPPED", "0")
    app = visit("play", playground_ruler="images")
    head = sent_down(app, COMPONENT)
    assert head["pending"]["button"] == "Compute it (about 10 s)"
    assert not head["pending"]["covers"]
    assert "without their labels" in head["ruler"]["note"]
    assert not list(tmp_path.glob("jobs/*/status.json"))
    monkeypatch.setenv("ZSL_SHIPPED", "1")
    head = sent_down(visit("play", playground_ruler="images"), COMPONENT)
    assert head["ruler"]["words"] == ["0", "785"]
    assert [stop["name"] for stop in head["ruler"]["named"]] == ["LinearS2V", "Propagation"]
    assert head["pending"] is None


@pytest.mark.parametrize(("seconds", "computed"), [(1.0, 3), (4.0, 2), (11.0, 0)])
def test_methods_computed_for_comparison_take_ten_seconds_together(monkeypatch, seconds, computed):
    choice, result = RunChoice("digits", "PS", "LinearS2V"), []
    monkeypatch.setattr(answers, "run_seconds", lambda dataset: seconds)
    monkeypatch.setattr(answers, "methods_of", lambda *_: ["ESZSL", "DAP", "SAE", "SSE", "GFZSL"])
    monkeypatch.setattr(answers, "is_computed", lambda spec: spec in result)
    monkeypatch.setattr(answers, "available_run", lambda spec: result.append(spec) or spec)
    while answers.compute_one(cache.dataset("digits"), choice):
        pass
    assert len(result) == computed
    # These methods are iterative, not quick.
    assert not {"DAP", "SSE"} & {spec.method for spec in result}


def test_quick_runs_on_simulated_data_start_without_a_button():
    quick = [cache.dataset(name) for name in ("digits", "simulated-SUN", "simulated-CUB")]
    assert all(run_seconds(dataset) < answers.LIMIT_WITHOUT_BUTTON for dataset in quick)
    assert run_seconds(quick[1]) > 10 * run_seconds(quick[0])


# --- Drawer and article ---------------------------------------------------------------------------


def test_printed_metrics_are_shown_below_the_metrics_of_the_same_choice():
    app = visit("play", dataset="simulated-AWA2", method="LinearS2V")
    app.session_state["playground_drawer"] = True
    app.run()
    table = app.dataframe[0].value
    assert list(table["metrics"]) == [
        "per class",
        "per image",
        "printed, Le Cacheux et al. 2019",
    ]
    # Le Cacheux et al. print H 64.0 for LinearS2V on AWA2, with lambda and gamma for GZSL.
    assert table.iloc[2, 1:].dropna().round(1).tolist() == [64.0]
    assert any("these are simulated" in element.value for element in app.caption)


def test_each_step_of_the_article_sets_the_instrument():
    app = visit("about", playground_gamma="0.3")
    set_by = {
        1: {"playground_class": "9"},
        3: {"method": "ESZSL"},
        4: {"method": "SAE", "playground_ruler": "lambda"},
        5: {"playground_ruler": "images"},
        0: {},
    }
    for step, choices in set_by.items():
        app.button_group(key="about_step").set_value(step).run()
        request = {"dataset": "digits", "method": "LinearS2V"} | choices
        head = sent_down(app, COMPONENT)
        assert head["rail"]["chosen"]["method"] == request["method"]
        assert head["ruler"]["kind"] == choices.get("playground_ruler", "gamma")
        assert head["only"] == choices.get("playground_class", "")
    app.button_group(key="about_step").set_value(2).run()
    head = sent_down(app, COMPONENT)
    stops = {stop["name"]: stop["gamma"] for stop in head["lines"][0]["stops"]}
    assert head["lines"][0]["start"] == pytest.approx(stops["validated"])
