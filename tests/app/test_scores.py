"""Your scores: examples, files that need answers, and metrics equal to the command's."""

import io
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import ui.intake.scores
from tests import pages
from tests.pages import words
from ui.intake import memory
from ui.shell import visitors
from ui.shell.text import plain
from zslcore.commands.score import compare_reports, score_report
from zslcore.datasets import load
from zslcore.evaluation import runs
from zslcore.evaluation.bootstrap import BootstrapMetrics
from zslcore.evaluation.predictions_file import predictions_bytes
from zslcore.evaluation.protocol import fit_and_score
from zslcore.evaluation.specs import RunSpec
from zslcore.leakage.published import known_tests
from zslcore.methods import get_method
from zslcore.scores.explain import MAX_READINGS, explain
from zslcore.scores.joined_sides import find_side_files
from zslcore.scores.printed import read_printed
from zslcore.scores.sandboxed import judge_in_worker

PAGE = "scores"


@pytest.fixture(scope="module")
def scored():
    digits = load("digits")
    return fit_and_score(get_method("ESZSL")(), digits, digits.split("PS"))


def metrics(app):
    """Return H by protocol and AUSUC, mean per class, from the tables of the page."""
    app.session_state["scores_all"] = True
    tables = [frame.value for frame in app.run().dataframe]
    shown = {}
    for table in tables:
        if {"protocol", "H"} <= set(table):
            actual = table.drop_duplicates("protocol").set_index("protocol")["H"]
            shown |= {f"H, {name}": f"{h:.1f} %" for name, h in actual.items()}
        elif "AUSUC" in set(table.get("metric", ())):
            shown["AUSUC"] = f"{table.set_index('metric')['per class']['AUSUC']:.1f} %"
    return {name: value for name, value in shown.items() if value != "nan %"}


def test_scores_of_three_methods_are_the_first_example():
    app = pages.visit(PAGE)
    digits = load("digits")
    run = runs.run(RunSpec("digits", "PS", "LinearS2V"), digits, with_oracle=False).result
    shown = metrics(app)
    assert shown["AUSUC"] == f"{100 * run.evaluation.ausuc:.1f} %"
    assert (
        shown["H, Joint label space, validated γ"]
        == f"{100 * run.evaluation.calibrated.harmonic:.1f} %"
    )
    assert "LinearS2V on digits" in words(app)


def uploaded(app, path):
    return app.file_uploader(key="scores_files").upload(path.name, path.read_bytes()).run()


def test_a_file_that_raises_a_question_waits_for_the_answer(tmp_path, scored):
    path = tmp_path / "own.npz"
    np.savez(path, scores=-scored.F, y=scored.y, unseen_classes=np.flatnonzero(~scored.seen))
    app = pages.visit(PAGE)
    uploaded(app, path)
    assert "are these distances?" in words(app)
    app.radio[0].set_value(app.radio[0].options[0]).run()
    assert not app.exception
    assert metrics(app)["AUSUC"] == f"{100 * scored.curve.ausuc:.1f} %"
    assert "No validated γ." in words(app)


def test_two_files_with_the_same_name_are_kept_apart(tmp_path, scored):
    """Each file raises its own questions, and an answer applies to one of them."""
    unseen = np.flatnonzero(~scored.seen)
    paths = []
    for folder, scores in {"a": -scored.F, "b": -2 * scored.F}.items():
        (tmp_path / folder).mkdir()
        path = tmp_path / folder / "own.npz"
        np.savez(path, scores=scores, y=scored.y, unseen_classes=unseen)
        paths.append(path)
    app = pages.visit(PAGE)
    for path in paths:
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


def test_uploads_are_shown_after_returning_to_the_page(tmp_path, scored):
    path = tmp_path / "own.npz"
    np.savez(path, scores=scored.F, y=scored.y, unseen_classes=np.flatnonzero(~scored.seen))
    app = pages.visit(PAGE)
    uploaded(app, path)
    evaluated = app.session_state["scores_evaluated"]
    again = pages.visit("play")
    again.session_state["scores_evaluated"] = evaluated
    pages.go(again, PAGE).run()
    assert "Your files from earlier in this visit." in words(again)
    assert r"own\.npz, 785 images" in words(again)
    again.button(key="scores_forget").click().run()
    assert "LinearS2V on digits" in words(again)


def test_scores_labels_and_unseen_classes_may_be_dropped_together(tmp_path, scored):
    np.save(tmp_path / "scores.npy", scored.F)
    np.save(tmp_path / "labels.npy", scored.y)
    unseen = np.flatnonzero(~scored.seen)
    (tmp_path / "unseen.txt").write_text("".join(f"{c}\n" for c in unseen))
    app = pages.visit("leakage", view="scores")
    for name in ("unseen.txt", "labels.npy", "scores.npy"):
        app.file_uploader(key="scores_files").upload(name, (tmp_path / name).read_bytes())
    assert not app.run().error
    together = words(app)
    np.savez(tmp_path / "scores.npz", scores=scored.F, y=scored.y, unseen_classes=unseen)
    alone = words(uploaded(pages.visit("leakage", view="scores"), tmp_path / "scores.npz"))
    assert together.replace("npy", "npz") == alone


def many(tmp_path, scored, n):
    """Write ``n`` score files, each on its own scale."""
    for k in range(n):
        path = tmp_path / f"own{k}.npz"
        scores = (k + 1) * scored.F
        np.savez(path, scores=scores, y=scored.y, unseen_classes=np.flatnonzero(~scored.seen))
        yield path


def test_each_of_many_files_is_read_once(tmp_path, scored, monkeypatch):
    read = []
    monkeypatch.setattr(
        ui.intake.scores,
        "judge_in_worker",
        lambda *arguments, **limits: (
            read.append(arguments) or judge_in_worker(*arguments, **limits)
        ),
    )
    app = pages.visit(PAGE)
    for path in many(tmp_path, scored, 6):
        app.file_uploader(key="scores_files").upload(path.name, path.read_bytes())
    app.run()
    app.run()
    assert not app.exception
    assert len(read) == 6
    assert len(app.session_state["scores_evaluated"]) == 6


def test_gamma_of_another_file_is_reset(tmp_path, scored):
    first, second = many(tmp_path, scored, 2)
    app = pages.visit(PAGE)
    uploaded(app, first)
    app.session_state["scores_gamma"] = 0.03  # this stands for dragging the handle
    app.run()
    curve = scored.curve
    assert (
        metrics(app)["H, Joint label space, γ = 0.03"] == f"{100 * curve.at(0.03).harmonic:.1f} %"
    )
    app.file_uploader(key="scores_files").set_value((second.name, second.read_bytes(), "")).run()
    assert not app.exception
    assert app.session_state["scores_gamma"] is None
    assert [name for name in metrics(app) if "γ = " in name] == ["H, Joint label space, γ = 0"]


def test_the_printed_command_repeats_the_reading_of_validation_scores(tmp_path, scored):
    test, chosen_on = many(tmp_path, scored, 2)
    np.savez(test, scores=-scored.F, y=scored.y, unseen_classes=np.flatnonzero(~scored.seen))
    app = pages.visit(PAGE)
    app.file_uploader(key="scores_val").upload(chosen_on.name, chosen_on.read_bytes())
    uploaded(app, test)
    app.radio[0].set_value(app.radio[0].options[0]).run()
    assert "--fix distances --validation-fix as-is" in app.code[0].value
    assert "read with " in words(app)


def test_doubtful_predictions_are_shown_once_the_visitor_confirms_the_file(tmp_path, scored):
    unseen, y = np.flatnonzero(~scored.seen), scored.y
    np.savez(tmp_path / "p.npz", y_true=y + 1, y_pred=scored.F.argmax(1), unseen_classes=unseen)
    app = pages.visit(PAGE)
    uploaded(app, tmp_path / "p.npz")
    assert "or confirm that the file is correct" in words(app).replace("\\", "")
    assert not metrics(app)
    app.radio[0].set_value(app.radio[0].options[0]).run()
    assert not app.exception
    assert metrics(app)
    assert "--fix as-is" in app.code[0].value


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
    assert ("H, Joint label space, validated γ" in metrics(app)) == (not peeked)
    assert any("this is an oracle" in warning.value for warning in app.warning) == peeked
    assert "No validated γ." not in words(app)


@pytest.fixture(scope="module")
def predicted():
    return runs.run(RunSpec("digits", "PS", "LinearS2V"), with_oracle=False)


def badges(app):
    """Return the texts of all badges, which Streamlit writes as Markdown."""
    return [
        m.value.partition("-badge[")[2].rstrip("]") for m in app.markdown if "-badge[" in m.value
    ]


def with_predictions(app, predictions, change=None):
    """Upload predictions, optionally after changing their table."""
    content = predictions_bytes(predictions)
    if change is not None:
        table = pd.read_parquet(io.BytesIO(content))
        changed = change(table.copy())
        changed.attrs = table.attrs
        content = changed.to_parquet()
    return app.file_uploader(key="scores_files").upload("own.parquet", content).run()


def test_predictions_that_agree_with_the_data_are_verified(predicted):
    run, predictions = predicted.result, predicted.predictions
    app = with_predictions(pages.visit(PAGE), predictions)
    assert not app.exception
    assert not app.error
    assert badges(app) == ["rows, labels and γ verified"]
    (tip,) = [m.help for m in app.markdown if "-badge[" in m.value]
    assert "rows, labels and γ agree with the data" in tip
    shown = metrics(app)
    assert shown["AUSUC"] == f"{100 * run.evaluation.ausuc:.1f} %"
    assert (
        shown["H, Joint label space, validated γ"]
        == f"{100 * run.evaluation.calibrated.harmonic:.1f} %"
    )
    table = app.dataframe[1].value.set_index("metric")
    assert table.loc["AUROC", "per image"] == pytest.approx(
        100 * BootstrapMetrics.once(predictions.test).auroc()[0]
    )
    assert memory.BUDGET.used(app.session_state["visitor"]) >= predictions.nbytes > 50_000
    for fold in ("scores_all", "scores_compare"):
        app.session_state[fold] = True
        app.run()
        assert not app.exception
        assert not app.error
        offered = [button.label for button in app.get("download_button")]
        assert "Predictions (.parquet)" not in offered  # the file would equal the uploaded one


def test_predictions_of_data_that_a_visitor_may_not_open_are_stated(predicted, monkeypatch):
    app = pages.visit(PAGE)
    monkeypatch.setattr(visitors, "available_datasets", lambda: ("elsewhere",))
    app = with_predictions(app, predicted.predictions)
    assert badges(app) == ["rows, labels and γ not verified"]
    assert "rows and labels cannot be checked" in words(app)


def test_predictions_with_a_wrong_label_are_refused(predicted):
    def other_label(table):
        labels = table.loc[table["part"] == "test_seen", "label"]
        table.loc[labels.index[0], "label"] = labels[labels != labels.iloc[0]].iloc[0]
        return table

    app = with_predictions(pages.visit(PAGE), predicted.predictions, other_label)
    assert r"Not read: own\.parquet.] Test, label\: expected" in words(app)
    assert badges(app) == []


def test_predictions_without_ranks_say_that_top_k_is_unknown(predicted):
    app = with_predictions(
        pages.visit(PAGE), predicted.predictions, lambda t: t.drop(columns="zsl_rank")
    )
    assert not app.exception
    assert "k accuracy is unknown" in words(app)


def test_inputs_for_score_matrices_are_ignored_for_predictions(predicted):
    app = pages.visit(PAGE)
    app.text_input(key="scores_unseen").set_value("0, 1")
    with_predictions(app, predicted.predictions)
    assert "the inputs under More are ignored." in words(app)
    assert badges(app) == ["rows, labels and γ verified"]


def test_a_matrix_offers_its_predictions(tmp_path, scored):
    app = pages.visit(PAGE)
    uploaded(app, next(many(tmp_path, scored, 1)))
    assert "Predictions (.parquet)" in [button.label for button in app.get("download_button")]


def known_scores(tmp_path):
    """Scores with the labels of AWA2's standard split, which determine the unseen classes."""
    test_set = next(k for k in known_tests() if (k.benchmark, k.split) == ("AWA2", "SS"))
    y = np.repeat(np.arange(len(test_set.counts)), test_set.counts)
    scores = np.random.default_rng(0).normal(size=(len(y), len(test_set.counts))).astype(np.float16)
    np.savez_compressed(tmp_path / "own.npz", scores=scores, y=y)
    return tmp_path / "own.npz"


def test_a_test_set_with_known_labels_is_named(tmp_path):
    app = pages.visit(PAGE)
    uploaded(app, known_scores(tmp_path))
    assert not app.exception
    # Without seen test images, a file has no curve.
    assert "H, Joint label space, γ = 0" not in metrics(app)
    assert "the test set of AWA2, split SS" in words(app)


def own_scores(tmp_path, scored, noises):
    """Write scores of the same images, each with independent noise; return their paths."""
    content = {"y": scored.y, "unseen_classes": np.flatnonzero(~scored.seen)}
    for k, scale in enumerate(noises):
        noise = np.random.default_rng(k).normal(size=scored.F.shape)
        np.savez(tmp_path / f"own{k}.npz", scores=scored.F + scale * noise, **content)
        yield tmp_path / f"own{k}.npz"


def test_a_printed_number_is_explained_as_by_zslcore_explain(tmp_path, scored):
    (path,) = own_scores(tmp_path, scored, [0.0])
    app = pages.visit(PAGE)
    uploaded(app, path)
    explanation = explain([score_report(path)], read_printed("H 1.0"))
    assert not explanation.is_explained
    app.session_state["scores_check"] = True
    app.text_input(key="scores_printed").set_value("H 1.0").run()
    assert not app.session_state["scores_check"]  # the menu would cover the answer
    assert not app.exception
    for message in (*explanation.sentences, *explanation.other_causes):
        assert plain(message) in words(app)
    table = next(t.value for t in app.dataframe if "reading" in t.value)
    assert (
        list(table["reading"])
        == [distance.name for distance in explanation.comparisons[0]][:MAX_READINGS]
    )
    at_zero = f"H {100 * scored.curve.at(0.0).harmonic:.1f}"
    app.text_input(key="scores_printed").set_value(at_zero).run()
    assert plain(explain([score_report(path)], read_printed(at_zero)).sentences[0]) in words(app)
    app.text_input(key="scores_printed").set_value(f"{at_zero}, H 1.0").run()
    assert not app.exception
    assert len([t for t in app.dataframe if "reading" in t.value]) == 2
    assert "per class" in words(app)


def test_an_invalid_number_is_refused_in_one_sentence(tmp_path, scored):
    app = pages.visit(PAGE)
    uploaded(app, next(own_scores(tmp_path, scored, [0.0])))
    app.text_input(key="scores_printed").set_value("about 50").run()
    assert not app.exception
    assert "Printed metrics" in app.error[0].value
    assert "AUSUC" in metrics(app)


def conclusion(*reports):
    pair = compare_reports(*reports)
    return pair.conclusion(pair.differences)


@pytest.mark.parametrize("is_first_better", [True, False])
def test_two_files_begin_with_the_sentence_of_their_comparison(tmp_path, scored, is_first_better):
    paths = [*own_scores(tmp_path, scored, [0.0, 5.0] if is_first_better else [5.0, 0.0])]
    app = pages.visit(PAGE)
    for path in paths:
        app.file_uploader(key="scores_files").upload(path.name, path.read_bytes())
    app.run()
    assert not app.exception
    better, details = (
        part.replace(r"\.", ".") for part in map(plain, conclusion(*map(score_report, paths)))
    )
    heading = next(element.value for element in app.markdown if element.value.startswith("## "))
    assert heading.replace(r"\.", ".") == f"## {better}."
    assert details[1:] in words(app).replace(r"\.", ".")
    larger, smaller = re.findall(r"([\d.]+) %", better)[:2]
    assert float(larger) > float(smaller)
    table = app.dataframe[0].value
    assert [f"{value:.1f}" for value in table["H"]] == [larger, smaller]
    assert set(table["file"]) == {path.stem for path in paths}
    # McNemar's test is in a closed tab
    assert all("McNemar" not in caption.value for caption in app.caption)


def test_three_files_are_ranked_in_the_headline(tmp_path, scored):
    paths = [*own_scores(tmp_path, scored, [0.0, 5.0])]
    noise = np.random.default_rng(0).normal(scale=scored.F.std(), size=scored.F.shape)
    content = {"y": scored.y, "unseen_classes": np.flatnonzero(~scored.seen)}
    np.savez(tmp_path / "noise.npz", scores=scored.F + noise, **content)
    paths.append(tmp_path / "noise.npz")
    app = pages.visit(PAGE)
    for path in paths:
        app.file_uploader(key="scores_files").upload(path.name, path.read_bytes())
    app.run()
    assert not app.exception
    harmonic = {p.name: 100 * score_report(p).metrics["plain_harmonic"] for p in paths}
    best = max(harmonic, key=harmonic.get)
    heading = heading_of(app)
    opening = f"## {best} has the highest H of 3 files, {harmonic[best]:.1f} %"
    assert heading.startswith(opening)
    table = app.dataframe[0].value.set_index("file")
    assert [f"{stem}.npz" for stem in table.index] == sorted(
        harmonic, key=harmonic.get, reverse=True
    )
    assert f"Handle and protocols: {best}" in words(app).replace("\\", "")
    for path in paths:
        metrics_of_file = score_report(path).metrics
        for column, name in {"u": "unseen", "s": "seen", "H": "harmonic"}.items():
            assert table.at[path.stem, column] / 100 == pytest.approx(
                metrics_of_file[f"plain_{name}"]
            )
        assert table.at[path.stem, "AUSUC"] / 100 == pytest.approx(metrics_of_file["ausuc"])
    intervals = re.search(r"over classes: (.+) points\.", words(app).replace("\\", ""))[1]
    for clause in intervals.split(" points, "):
        name, _low, _to, high = clause.split(" ")
        is_worse = float(high.replace("−", "-")) < 0
        assert table.at[Path(name).stem, "verdict"] == ("worse" if is_worse else "not worse")


def test_three_files_with_too_few_classes_keep_their_names(tmp_path):
    rng, y = np.random.default_rng(0), np.repeat(np.arange(4), 20)
    names = ["scores.npz", "scores (1).npz", "scores (2).npz"]
    app = pages.visit(PAGE)
    for k, name in enumerate(names):
        scores = np.eye(4)[y] + rng.normal(scale=0.5 + 0.3 * k, size=(len(y), 4))
        np.savez(tmp_path / name, scores=scores, y=y, unseen_classes=[2, 3])
        app.file_uploader(key="scores_files").upload(name, (tmp_path / name).read_bytes())
    app.run()
    assert not app.exception
    shown = words(app).replace("\\", "")
    assert "are too few for an interval" in shown
    table = app.dataframe[0].value
    assert {*table["file"]} == {Path(name).stem for name in names}
    assert [*table["verdict"]] == ["highest", "not tested", "not tested"]


def test_files_of_other_images_are_not_compared_and_the_first_is_shown(tmp_path, scored):
    paths = [*own_scores(tmp_path, scored, [0.0, 0.0, 5.0])]
    content = {"y": scored.y[:-9], "unseen_classes": np.flatnonzero(~scored.seen)}
    np.savez(paths[1], scores=scored.F[:-9], **content)
    app = pages.visit(PAGE)
    for path in paths[:2]:
        app.file_uploader(key="scores_files").upload(path.name, path.read_bytes())
    app.run()
    assert not app.exception
    assert "expected scores of the same images" in app.warning[0].value
    assert heading_of(app).startswith("## The 2 files are not comparable")
    assert "Handle and protocols: own0.npz" in words(app).replace("\\", "")
    assert [*app.dataframe[0].value["verdict"]] == ["–", "not comparable"]
    assert "AUSUC" in metrics(app)
    for path in paths:
        app.file_uploader(key="scores_files").upload(path.name, path.read_bytes())
    app.run()
    assert not app.exception
    assert heading_of(app).endswith("; 1 of 3 files cannot be compared.")
    assert app.dataframe[0].value["verdict"].iloc[-1] == "not comparable"


def heading_of(app):
    """Return the answer of the view."""
    heading = next(element.value for element in app.markdown if element.value.startswith("## "))
    return heading.replace("\\", "")


def blocks_of(tmp_path, scored, names):
    """Write seen and unseen columns into two files; the first has the labels."""
    first, second = (tmp_path / name for name in names)
    np.savez(first, scores=scored.F[:, scored.seen], y=scored.y)
    np.savez(second, scores=scored.F[:, ~scored.seen])
    return first, second


@pytest.mark.parametrize("named", [True, False])
def test_seen_and_unseen_columns_in_two_files_are_joined_or_questioned(tmp_path, scored, named):
    names = ("seen.npz", "unseen.npz") if named else ("a.npz", "b.npz")
    app = pages.visit(PAGE)
    for path in blocks_of(tmp_path, scored, names):
        app.file_uploader(key="scores_files").upload(path.name, path.read_bytes())
    app.run()
    assert not app.exception
    if not named:
        assert "AUSUC" not in metrics(app)
        assert app.radio[0].value is None
        app.radio[0].set_value(app.radio[0].options[0]).run()
    assert not app.error
    assert metrics(app)["AUSUC"] == f"{100 * scored.curve.ausuc:.1f} %"
    assert f"--unseen-scores {names[1]}" in app.code[0].value


def test_scores_of_two_models_are_not_joined_as_two_blocks(tmp_path, scored):
    first, second = own_scores(tmp_path, scored, [0.0, 1.0])
    assert find_side_files(first, second) is None
    assert find_side_files(*blocks_of(tmp_path, scored, ("unseen_s.npz", "seen_u.npz"))).unseen == 0
    np.savez(tmp_path / "seen.npz", scores=scored.F[:9, scored.seen])
    np.savez(tmp_path / "unseen.npz", scores=scored.F[:, ~scored.seen])
    assert not find_side_files(tmp_path / "seen.npz", tmp_path / "unseen.npz").certain
