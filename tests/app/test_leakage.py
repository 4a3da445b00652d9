"""Leakage page: verdict, findings, decisions, and uploaded files."""

import io
import json
import shlex
import urllib.parse
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from scipy.io import savemat

from tests import pages
from tests.leakage.worlds import add, clean
from tests.pages import ROOT, charts, settled
from tests.pages import words as texts
from ui.intake import uploads
from ui.sections import audit
from ui.shell.folds import fold
from ui.shell.text import page_sentence
from ui.state import decisions
from ui.views.leakage import drop
from zslcore.__main__ import main
from zslcore.commands.findings import read_decisions
from zslcore.datasets import load
from zslcore.evaluation.runs import run
from zslcore.evaluation.specs import RunSpec
from zslcore.exceptions import ZSLError
from zslcore.leakage import (
    MARKS,
    AuditContext,
    audit_again,
    audit_context,
    correct_context,
    counts,
    get_vocabulary,
    quiz,
)
from zslcore.leakage.loading import context_of
from zslcore.leakage.report import HOW, options_hint
from zslcore.results.store import ResultStore

PAGE = "leakage"
TABS = ["Findings", "Confirm or reject", "Diff", "Files read"]
REVIEW = {"view": "drop", "leakage_source": "a data set"}


@pytest.fixture
def visit(monkeypatch, own_data):
    """Open the page as a new visitor, with choices in the address and every finding open."""
    monkeypatch.setattr(
        audit, "fold", lambda *words, **more: fold(*words, **more | {"is_open": True})
    )
    return partial(pages.visit, PAGE, **REVIEW)


def test_a_finding_is_drawn_when_it_is_opened(own_data):
    app = pages.visit(PAGE, **REVIEW)
    shown = {
        element.label: bool(element.markdown) for element in app.expander if "**" in element.label
    }
    assert {"leak" in label for label, is_drawn in shown.items() if is_drawn} == {True}
    closed = next(k for k, is_drawn in enumerate(shown.values()) if not is_drawn)
    mark = list(shown)[closed].split("**")[1]
    app.session_state[f"leakage_finding_{closed}_{mark}"] = True
    app.run()
    (opened,) = (element for element in app.expander if element.label == list(shown)[closed])
    assert opened.markdown


def decided(subject, of_imagenet):
    return json.dumps({subject: {"imagenet-1k": of_imagenet}})


def named(data, name):
    file = io.BytesIO(data)
    file.name = name
    return file


def words(app):
    """Return the texts on the page and the sentences in the titles of findings."""
    return f"{texts(app)} {' '.join(findings_of(app))}"


def findings_of(app):
    """Return the headings of findings; each can be opened."""
    return [expander.label for expander in app.expander if "**" in expander.label]


# --- The page -------------------------------------------------------------------------------------


def test_all_findings_are_shown_sorted(visit):
    labels = findings_of(app := visit())
    marks = [label.split("**")[1] for label in labels]
    decided = [mark for mark in marks if mark != "open"]
    assert decided == sorted(decided, key=MARKS.index)
    assert marks.count("ok") == 1
    assert all(len(label.split(": ", 1)[1]) > 20 for label in labels[:-1])  # the sentence
    assert all(f":gray[ZSL{k:03d}]" in words(app) for k in range(1, 13))
    assert "open" in marks


@pytest.mark.parametrize("tab", TABS)
def test_every_tab_opens_and_runs_again(visit, tab):
    app = visit(leakage_tab=tab)
    for _ in range(2):
        app.run()
        assert not app.exception
        assert not app.error
        assert [t.label for t in app.tabs if t.children] == [tab]
    for chart in charts(app):
        assert len(chart.alt) > 20


def test_decisions_in_the_address_change_the_verdict(visit):
    split = load("simulated-AWA2").split("SS")
    unseen = [load("simulated-AWA2").class_names[c] for c in split.unseen_classes]
    rejected = decided("simulated-AWA2", dict.fromkeys(unseen, "rejected"))
    assert "[No: it leaks.]" in words(visit())
    app = visit(decisions=rejected)
    assert "[No: it leaks.]" not in words(app)
    assert "rejected by hand" in words(app)
    confirmed = decided("simulated-AWA2", {"seal": "confirmed"})
    assert "7 of 10 test classes" in words(visit(decisions=confirmed))
    assert "6 of 10 test classes" in words(visit(decisions=decided("CUB", {"seal": "confirmed"})))


def test_decisions_belong_to_their_data_set(visit):
    app = visit(decisions=decided("simulated-AWA2", {"seal": "confirmed"}))
    app.selectbox(key="dataset_menu").set_value("simulated-AWA1").run()
    assert "6 of 10 test classes" in words(app)
    assert "decisions" not in app.query_params
    app.selectbox(key="dataset_menu").set_value("simulated-AWA2").run()
    assert "7 of 10 test classes" in words(app)
    assert "seal" in str(app.query_params["decisions"])


def test_decisions_are_carried_to_overlap_gain_and_back(visit):
    app = visit(decisions=decided("simulated-AWA2", {"seal": "confirmed", "pig": "rejected"}))
    pages.go(app, "overlap_gain").run()
    assert not app.exception
    app.query_params["gain_class"] = "seal"
    settled(app)
    # The decisions add seal and leave out pig.
    assert "on the 24 classes in ImageNet-1K" in words(app).replace("\\", "")
    assert "**seal** is in ImageNet" in words(app).replace("\\", "")
    assert "Confirmed by hand" in words(app)
    pages.go(app, PAGE, **REVIEW).run()
    assert "Matches with ImageNet-1K rejected by hand: pig" in words(app).replace("\\", "")


def test_decisions_are_written_in_the_format_of_the_command_line(tmp_path):
    text = {"imagenet-1k": {"seal": "confirmed", 'a "b" \\ é': "rejected"}, "kinetics-400": {}}
    path = tmp_path / "decisions.toml"
    path.write_text(decisions.as_toml(text), encoding="utf-8")
    assert read_decisions(path) == {"imagenet-1k": text["imagenet-1k"]}


@pytest.mark.parametrize(
    "query",
    [
        {"decisions": "{"},
        {"decisions": "[1]"},
        {"decisions": '{"simulated-AWA2": {"imagenet-1k": {"seal": ["x"]}, "a": 3}}'},
        {"decisions": '{"simulated-AWA2": {"imagenet-1k": {"seal": "maybe"}}}'},
        {"decisions": "[" * 10_000},
        {"drop_pretraining": "imagenet-9", "leakage_gamma": "oracle", "leakage_tab": "none"},
    ],
)
def test_invalid_decisions_in_the_address_are_ignored(visit, query):
    app = visit(**query)
    assert not app.error
    assert app.title[0].value.endswith("Can I trust this split, score matrix or number?")


@pytest.mark.parametrize("address", ["kinetics-400", "Kinetics-400"])  # old links have names
def test_a_pretraining_set_is_chosen_by_its_name_or_its_title(visit, address):
    app = visit(drop_pretraining=address)
    assert app.selectbox(key="drop_pretraining").value == "Kinetics-400"
    assert not app.toast
    assert "classes of Kinetics-400" in words(app).replace("\\", "")


def test_declared_choices_replace_the_open_finding(visit):
    declared = dict.fromkeys(
        ("leakage_hyperparameters", "leakage_epochs", "leakage_gamma"), "validation"
    )
    assert "Not declared by the author" in words(visit())
    assert "Not declared by the author" not in words(visit(**declared))
    assert "gamma was chosen on the test set" in words(visit(leakage_gamma="test"))


def test_the_effect_is_measured_on_request(visit):
    app = visit(leakage_measure="true")
    assert "OverlapGain" in words(app)
    assert "**open**] ZSL007" not in str(findings_of(app))


def test_effect_and_oracle_gains_of_stored_runs_are_next_to_declarations(visit):
    assert "**open**] Accuracy of test classes in the pre" in str(findings_of(visit()))
    data = load("simulated-AWA2")
    spec = RunSpec("simulated-AWA2", "SS", "LinearS2V", select_for="zsl", digest=data.digest)
    run(spec, data, store=ResultStore())
    app = visit()
    assert "OverlapGain" in words(app)
    assert "parameters chosen on the test set would have gained up to" in words(app)
    # Our runs do not declare the choices of the author.
    assert "Not declared by the author" in words(app)
    assert "gamma was chosen on the test set" in words(visit(leakage_gamma="test"))
    assert "Runs of this package" in words(app)
    assert "Runs of this package" not in words(visit(split="PS"))


def test_decisions_need_the_names_of_the_test_classes(visit):
    app = visit(leakage_source="files", leakage_tab="Confirm or reject")
    file = split_file(clean())
    app.file_uploader(key="drop_files").set_value([(file.name, file.getvalue(), "")]).run()
    assert not app.exception
    assert "Decisions need the names of the test classes" in words(app)


def test_every_finding_links_to_its_view(visit):
    app = visit(leakage_measure="true")
    check_files, *of_findings = app.get("page_link")
    assert check_files.proto.label == "Check files"
    links = {link.proto.query_string: link.proto.page for link in of_findings}
    assert len(of_findings) == sum("**ok**" not in label for label in findings_of(app)) >= 3
    for query, page in links.items():
        wanted = dict(urllib.parse.parse_qsl(query))
        other = pages.visit(wanted.pop("view", page or "playground"), **wanted)
        assert not other.error
        assert not other.toast
        chosen = {box.key: box.value for box in other.selectbox}
        assert {key: chosen[key] for key in wanted if key in chosen} == {
            key: wanted[key] for key in wanted if key in chosen
        }
        assert "simulated-AWA2" in wanted.values()
        opened = {tab.label for tab in other.tabs if tab.children}
        assert opened >= {wanted[key] for key in wanted if key.endswith("_tab")}


def test_the_pretraining_set_is_that_of_the_data_set(visit):
    app = visit()
    assert "6 of 10" in pages.metrics(app).values()
    assert "test classes in the pre-training set (446 images): 6 of 10." in words(app)
    assert "No images" in words(visit(dataset="digits"))
    app = visit(dataset="simulated-AWA2-untrained")
    assert "6 of 10 test classes" not in words(app)


def test_photographs_on_both_sides_are_shown_and_a_pattern_is_searched(visit):
    app = visit(dataset="simulated-aPY", split="PS")
    assert "share a photograph with a training row" in words(app)
    app = visit(dataset="simulated-aPY", split="PS", leakage_pattern="(zebra)")
    assert "matches none of the names" in app.error[0].value
    app = visit(dataset="simulated-aPY", split="PS", leakage_pattern="([0-9]+)")
    assert "by the pattern" in words(app)


def test_a_link_restores_the_policy_of_the_corrected_split(visit, monkeypatch):
    monkeypatch.setattr(drop, "menu", lambda _, show, **options: show())
    request = {"dataset": "simulated-aPY", "split": "PS"}
    removed = {}
    for policy in ("stay in the test part", "are dropped"):
        app = visit(**request, leakage_policy=policy)
        assert not app.toast
        removed[policy] = app.dataframe[0].value.set_index("part")["removed"]
    stay, dropped = removed["stay in the test part"], removed["are dropped"]
    assert stay["trainval"] > 0
    # Some test rows are removed, so that a class with shared photographs only is still seen.
    assert stay["test_unseen"] < dropped["test_unseen"] / 10


def test_another_split_of_the_data_set_is_compared(visit):
    app = visit(leakage_tab="Diff", leakage_other="PS")
    assert "16 classes changed from seen to unseen or back" in words(app)
    titles = [caption.value for caption in app.caption]
    assert any(title.startswith("Rows by part") for title in titles)
    assert "Upload another split file" in words(visit(leakage_tab="Diff", leakage_other="a file"))


def test_advice_on_the_page_names_its_controls_in_place_of_options(visit):
    text = words(visit())
    assert "under “More”" in text
    assert "=, \\-\\-" not in text
    for name in HOW:
        assert "=, " not in page_sentence(f"Give it {options_hint(name)}.")


# --- Files ----------------------------------------------------------------------------------------


def split_file(context):
    """Write a split as the JSON that the page offers."""
    rows = {part: list(map(int, rows)) for part, rows in context.parts.items()}
    content = {"schema": "zslcore-split/1", "parts": rows}
    return named(json.dumps(content).encode(), "mine_split.json")


def images_file(context):
    content = io.BytesIO()
    np.savez(content, labels=context.labels + 1, features=context.features.T)
    return named(content.getvalue(), "images.npz")


def test_a_split_file_is_read_alone_and_with_its_features():
    world = add(clean(), clean().parts["test_seen"][:2], "trainval")
    alone = uploads.read_split_files([split_file(world)])
    assert alone.labels is None
    assert audit_context(alone).mark("ZSL003") == "leak"
    both = uploads.read_split_files([images_file(world), split_file(world)])
    assert np.array_equal(both.labels, world.labels)
    assert np.allclose(both.features, world.features)
    assert counts.leaks_by_part(both, audit_context(both))["leaking"].sum() == 4


@pytest.mark.parametrize(
    "files",
    [
        [named(b"", "empty.mat")],
        [named(b"{}", "a.json")],
        [named(b"x", "a.exe")],
        [named(b"{", "a.json"), named(b"{", "b.json"), named(b"{", "c.json")],
        [named(b"MATLAB 5.0 MAT-file" + bytes(300), "att_splits.mat")],
    ],
)
def test_invalid_files_are_refused_in_one_sentence(files):
    with pytest.raises(ZSLError, match=r"^[^\n]+\.$"):
        uploads.read_split_files(files)


def test_an_uploaded_list_assigns_rows_to_photographs(tmp_path):
    world = clean()
    names = [f"film_{row}_frame_0" for row in range(world.n_rows)]
    tested, trained = world.parts["test_seen"][0], world.parts["trainval"][0]
    names[tested] = f"film_{trained}_frame_1"
    listed = partial(named, "\n".join(names).encode(), "films.txt")
    (split,) = uploads.recognise_uploads([split_file(world)], tmp_path)
    for pattern, shared in (("", 0), ("(film_[0-9]+)_", 1)):
        context = uploads.read_uploaded_split(split, listed(), pattern)
        numbers = context.photographs.number
        assert (numbers[tested] == numbers[trained]) == shared
    digits = load("digits")
    result = uploads.photographs_of_dataset(digits, listed(), "")
    with pytest.raises(ZSLError, match=r"digits: got 96 names or groups of images for 1,797 rows"):
        context_of(digits, split="PS", groups=result)


def test_an_uploaded_list_of_classes_is_read():
    vocabulary = uploads.vocabulary_of_file(named(b"seal, sea dog\nrat\n", "mine.txt"))
    assert [entry.names[0] for entry in vocabulary.entries] == ["seal", "rat"]
    with pytest.raises(ZSLError):
        uploads.vocabulary_of_file(named(b"\n", "none.txt"))


# --- Counts on the page ---------------------------------------------------------------------------


def test_every_image_and_every_leak_is_counted_once_in_its_part():
    data = load("simulated-AWA2")
    context = AuditContext.of_split(data.split("SS"), data)
    context = replace(context, vocabularies=(get_vocabulary("imagenet-1k"),))
    table = counts.leaks_by_class(context, audit_context(context))
    columns = ["trained", "test_seen", "test_unseen", "in_pretraining", "leaking", "unused"]
    assert (table[columns].sum(axis=1) == table["images"]).all()
    assert set(table.loc[table["in_pretraining"] > 0, "class"]) == {
        *("persian cat", "hippopotamus", "leopard", "chimpanzee", "giant panda", "pig")
    }
    assert not table["leaking"].any()

    planted = context.parts["test_unseen"][:3]
    leaky = add(context, planted, "trainval")
    table = counts.leaks_by_class(leaky, audit_context(leaky))
    of_class = np.bincount(data.labels[planted], minlength=len(table))
    leaking = table.set_index("class")["leaking"]
    rows = sum(len(leaky.parts[part]) for part in ("trainval", "test_seen", "test_unseen"))
    without_report = counts.leaks_by_class(leaky, None)
    assert without_report[["trained", "test_seen", "test_unseen"]].to_numpy().sum() == rows
    assert all(leaking[data.class_names[c]] >= n for c, n in enumerate(of_class) if n)
    corrected = correct_context(leaky).context
    assert not counts.leaking_rows(corrected, audit_context(corrected)).size


def test_a_second_audit_gives_the_same_report():
    data = load("digits")
    bare = AuditContext.of_split(data.split("PS"), data)
    changed = replace(bare, vocabularies=(get_vocabulary("imagenet-1k"),))
    ids = ("ZSL006", "ZSL007", "ZSL008", "ZSL009")
    again = audit_again(audit_context(bare), changed, ids)
    assert again.findings == audit_context(changed).findings
    assert again.read_as["pre-training vocabularies"] == ["imagenet-1k"]


@pytest.mark.parametrize("question", quiz.QUESTIONS)
def test_the_audit_finds_only_the_faults_planted_by_the_quiz(question):
    answer = quiz.answer_of(quiz.plant(question, load("digits")))
    failed = {f.check for f in answer.report.findings if f.mark == "leak"}
    assert failed == {quiz.ANSWERS[answer.right]} - {""}


def test_every_answer_of_the_quiz_is_right_for_one_question():
    right = [quiz.answer_of(quiz.plant(q, load("digits"))).right for q in quiz.QUESTIONS]
    assert sorted(right) == sorted(quiz.ANSWERS)


def test_the_command_of_the_guide_runs_as_printed(tmp_path, monkeypatch):
    text = (ROOT / "docs" / "guide" / "audit.md").read_text(encoding="utf-8")
    block = text.split("<!-- audit -->")[1].split("```")[1]
    command = shlex.split(block.strip().splitlines()[-1])
    arguments = command[command.index("check") + 1 :]
    world = clean()
    (tmp_path / "splits").mkdir()
    correct_context(world).save_mat(tmp_path / arguments[0])
    names = np.array([f"{row}.jpg" for row in range(world.n_rows)])
    images = {"labels": world.labels + 1, "image_files": names}
    np.savez(tmp_path / "splits" / "labels.npz", **images)
    monkeypatch.chdir(tmp_path)
    labelled = [*arguments, "--labels", "splits/labels.npz"]
    assert main(["check", *labelled]) == 0
    assert "<testsuite" in (tmp_path / "leakage.xml").read_text()
    leaky = {f"{p}_loc": np.asarray(rows)[:, None] + 1.0 for p, rows in world.parts.items()}
    leaky["trainval_loc"] = np.vstack([leaky["trainval_loc"], leaky["test_seen_loc"]])
    savemat(tmp_path / arguments[0], leaky)
    assert main(["check", *arguments]) == 1
