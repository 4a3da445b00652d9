"""The board: entries, refusals with reasons, and reproducible output."""

import io
import json
import re
import tracemalloc
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from zslcore.__main__ import main
from zslcore.analysis.resampling import metrics_of_draws
from zslcore.board import table as board_table
from zslcore.board.checking import checked_entry, read_board
from zslcore.board.entry import MAX_BYTES, SCHEMA, read_entry
from zslcore.board.making import add_entry, entry_of_run, entry_of_scores
from zslcore.board.table import as_csv, board_html, gamma_in_words, rows_of_results, table_of
from zslcore.datasets import load
from zslcore.evaluation.runs import run
from zslcore.evaluation.specs import RunSpec
from zslcore.exceptions import FileRefusedError, ParameterError
from zslcore.leakage.published import known_splits
from zslcore.metrics.significance import class_draws, fewest_classes, interval
from zslcore.results.store import ResultStore
from zslcore.scores import ScoreFile, interpret, judge

DIGITS = load("digits")


@pytest.fixture(scope="module")
def finished_run():
    spec = RunSpec("digits", "PS", "LinearS2V")
    return run(spec, DIGITS, with_oracle=False)


@pytest.fixture(scope="module")
def entry(finished_run):
    return entry_of_run(finished_run.result, DIGITS, who="Ada", link="https://example.org/a")


@pytest.fixture
def folder(entry, tmp_path):
    add_entry(entry, tmp_path)
    return tmp_path


def values_of(entry, **changes):
    """Return an entry as JSON with new values at paths like ``gamma__origin``; None removes one."""
    values = json.loads(entry.to_json())
    for path, value in changes.items():
        *outer, last = path.split("__")
        place = values
        for name in outer:
            place = place.setdefault(name, {})
        if value is None:
            place.pop(last, None)
        else:
            place[last] = value
    return json.dumps(values).encode()


def reread(entry, **changes):
    return read_entry(values_of(entry, **changes), "hers.json")


# --- Content of an entry --------------------------------------------------------------------------


def test_an_entry_made_from_a_run_has_its_metrics_and_spec(finished_run, entry):
    result, e = finished_run.result, finished_run.result.evaluation
    assert reread(entry) == entry
    assert entry.figures.zsl == pytest.approx(e.zsl, abs=1e-6)
    assert entry.figures.H_gamma == pytest.approx(e.calibrated.harmonic, abs=1e-6)
    assert (entry.gamma.origin, entry.gamma.value) == ("validated", result.gamma)
    assert (entry.parameters.origin, entry.parameters.chosen_for) == ("validated", "gzsl")
    assert entry.spec["digest"] == DIGITS.digest
    assert set(entry.versions) >= {"zslcore", "commit", "numpy", "torch"}
    assert len(entry.per_class["at_gamma"]) == 10
    assert checked_entry(entry, "a.json").split_kind == "published"


def test_an_entry_of_other_data_is_refused(finished_run):
    other = replace(finished_run.result, spec=replace(finished_run.result.spec, digest="0" * 16))
    with pytest.raises(Exception, match="expected data 0000000000000000"):
        entry_of_run(other, DIGITS, who="Ada")


def test_judged_scores_become_an_entry(finished_run):
    scored = finished_run.scores
    file = ScoreFile("own.npz", scored.F, scored.y, np.flatnonzero(~scored.seen))
    report = judge(interpret(file, ["as-is"])[0], gamma=0.1)
    text = {"method": "Mine", "who": "Ada", "provenance": "Scores of my own model."}
    entry = entry_of_scores(json.loads(report.to_json()), **text)
    assert reread(entry) == entry
    assert entry.figures.H_gamma == pytest.approx(scored.curve.at(0.1).harmonic, abs=1e-6)
    assert (entry.gamma.origin, entry.parameters.origin) == ("given", "not stated")
    older = entry.to_json().replace('"not stated"', '"not told"')
    assert read_entry(older.encode(), "older.json") == entry
    checked = checked_entry(entry, "a.json")
    assert (checked.split_kind, checked.overlap_word) == ("unknown", "unknown")
    plain = entry_of_scores(json.loads(judge(interpret(file, ["as-is"])[0]).to_json()), **text)
    assert (plain.gamma.origin, plain.figures.H_gamma) == ("none", None)
    with pytest.raises(FileRefusedError, match=r"expected the output of `zslcore score --json`"):
        entry_of_scores({"figures": 1}, **text)


def test_scores_are_validated_only_as_stated_and_an_oracle_is_not_a_result():
    """The score file states how gamma was chosen; the board cannot repeat that choice."""
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(8), 30)
    matrices = [np.eye(8)[y] + rng.normal(size=(len(y), 8)) for _ in range(2)]
    matrix, same_images = (
        interpret(ScoreFile("own.npz", F, y, unseen), ["as-is"])[0]
        for F, unseen in ((matrices[0], [6, 7]), (matrices[1], [6, 7]))
    )
    seen = y < 6
    validation = interpret(ScoreFile("val.npz", matrices[1][seen], y[seen], [4, 5]), ["as-is"])[0]
    text = {"method": "M", "who": "A", "provenance": "Theirs."}
    words = []
    for options in ({"validation": validation}, {"gamma": 0.1}, {"validation": same_images}):
        entry = entry_of_scores(json.loads(judge(matrix, **options).to_json()), **text)
        read_entry(entry.to_json().encode(), "a.json")
        (row,) = rows_of_results([checked_entry(entry, "a.json")])
        words.append((gamma_in_words(row), entry.used_test_set))
    assert words == [
        ("validated (stated by the submitter)", False),
        ("given (origin not stated)", False),
        ("oracle", True),
    ]


def test_an_entry_made_from_scores_recognises_its_split_by_image_counts():
    of_classes = {key: {} for key in ("per_class_zsl", "per_class_plain", "per_class")}
    plain = {"gamma": 0, "seen": 0.5, "unseen": 0.5}
    evaluation = {"zsl": 0.5, "plain": plain, "calibrated": None, "ausuc": 0.2} | of_classes
    report = {"file": "x.npz", "digest": "0" * 16, "version": "1", "commit": ""}
    report |= {"benchmark": "AWA1", "split": "PS", "unseen_classes": ["seal", "bat"]}
    report |= {"gamma": None, "gamma_origin": None, "evaluation": evaluation}
    entry = entry_of_scores(report, method="M", who="A", provenance="Theirs.")
    assert entry.split.counts == {"test_seen": 4958, "test_unseen": 5685}
    assert checked_entry(entry, "x.json").split_kind == "by counts"


# --- Refusals -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"gamma": None}, "gamma.origin: expected the origin of gamma"),
        ({"gamma__origin": None}, "gamma.origin: expected the origin of gamma"),
        ({"gamma__origin": "unknown"}, "got 'unknown'"),
        ({"gamma__value": None}, "gamma.value: expected the number that was validated"),
        ({"spec__gamma": 0.5}, "expected 'given', since the spec has a gamma; got 'validated'"),
        ({"gamma__origin": "none", "gamma__value": None}, "since there are metrics at gamma"),
        ({"figures__zsl": 56.5}, "zsl: expected a fraction in [0, 1], not a percentage; got 56.5"),
        ({"figures__zsl": 0.1}, "figures.zsl: expected the mean of its classes"),
        ({"figures__H": 0.99}, "figures.H: expected the harmonic mean of u and s"),
        ({"figures__ausuc": "much"}, "figures.ausuc: "),
        ({"figures": {}}, "figures"),
        ({"method": None}, "method: "),
        ({"who": " "}, "who: expected a name"),
        ({"gama": {"origin": "given"}}, "gama: "),
        ({"spec": None}, "provenance: expected the source of the metrics"),
        ({"link": "javascript:alert(1)"}, "link: expected an address"),
        ({"source": "x"}, "source: "),
        ({"data__name": "a\x1b[31m"}, "data.name: expected printable text"),
        ({"data__name": "x" * 501}, "data.name: expected at most 500 characters"),
        ({"data__benchmark": "AWA3"}, "data.benchmark: expected AWA1"),
        ({"split__parts": {"all": "0"}}, "split.parts.all.[key]: expected trainval"),
        ({"unseen_classes": None}, "unseen_classes: expected the names"),
        ({"per_class__zslx": {"a": 1.0}}, "per_class.zslx.[key]: expected zsl"),
        ({"schema": "zslcore-board/9"}, f'expected an object with "schema": "{SCHEMA}"'),
    ],
)
def test_contradictory_entries_are_refused_in_one_sentence(entry, changes, sentence):
    with pytest.raises(FileRefusedError, match=r"^hers\.json.*\.$") as error:
        reread(entry, **changes)
    assert sentence in str(error.value)


@pytest.mark.parametrize(
    "content",
    [b"", b"[]", b"7", b"\xff\xfe", b"[" * 100_000, b"{" * 9, b"null", b" " * (MAX_BYTES + 1)],
)
def test_other_files_are_refused_in_one_sentence(content):
    with pytest.raises(FileRefusedError, match=r"^hers\.json: expected .*\.$"):
        read_entry(content, "hers.json")


BEGIN = b'{"schema": "zslcore-board/1", '


@pytest.mark.parametrize(
    ("content", "got"),
    [
        (b"[" * 100_000, "expected JSON"),
        (BEGIN + b'"spec": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", "expected JSON"),
        (BEGIN + b'"spec": ' + b"[" * 30 + b"]" * 30 + b"}", "20 nested brackets"),
        (BEGIN + b'"who": "A", "who": "B"}', "every name of an object once"),
    ],
)
def test_nested_and_repeated_json_is_refused_in_one_sentence(tmp_path, printed, content, got):
    (tmp_path / "hers.json").write_bytes(content)
    refused = read_board(tmp_path).refused["hers.json"]
    assert refused.startswith("hers.json: expected ")
    assert got in refused
    error = printed("check", tmp_path / "hers.json", status=2)
    assert error.startswith("zslcore: hers.json")
    assert error.count("\n") == 1


def test_a_file_of_half_a_gigabyte_is_refused_by_its_size(tmp_path, capsys):
    path = tmp_path / "hers.json"
    with path.open("wb") as file:
        file.write(BEGIN + b" " * 99)
        file.truncate(500_000_000)
    sentence = f"hers.json: expected at most {MAX_BYTES:,} bytes; got more."
    tracemalloc.start()
    try:
        assert read_board(tmp_path).refused == {"hers.json": sentence}
        assert main(["check", str(path)]) == 2
        assert tracemalloc.get_traced_memory()[1] < 100 << 20
    finally:
        tracemalloc.stop()
    error = capsys.readouterr().err
    assert "got 500,000,000;" in error
    assert error.count("\n") == 1


def test_files_with_wrong_values_are_accepted_or_refused(entry):
    whole, rng = bytearray(entry.to_json().encode()), np.random.default_rng(0)
    refused = 0
    for _ in range(300):
        content = bytearray(whole)
        for at in rng.integers(0, len(content), rng.integers(1, 6)):
            content[at] = rng.integers(256)
        text = refusal_of(bytes(content))
        assert "\n" not in text
        refused += bool(text)
    assert refused > 100


def refusal_of(content):
    """The sentence with which a file is refused; empty for an accepted file."""
    try:
        checked_entry(read_entry(content, "hers.json"), "hers.json")
    except FileRefusedError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999"])
@pytest.mark.parametrize(
    ("place", "field"),
    [
        ("parameters.params.lam", ("parameters", "params", "lam")),
        ("seeds.zsl_std", ("seeds", "zsl_std")),
        ("seeds.H_gamma_std", ("seeds", "H_gamma_std")),
        ("spec.grid.lam", ("spec", "grid", "lam")),
    ],
)
def test_numbers_that_are_not_finite_are_refused_at_any_place(entry, place, field, number):
    values = json.loads(entry.to_json())
    inner = values
    for name in field[:-1]:
        inner[name] = inner.get(name) if isinstance(inner.get(name), dict) else {}
        inner = inner[name]
    inner[field[-1]] = [1.0, "here"] if field[0] == "spec" else "here"
    text = json.dumps(values).replace('"here"', number)
    with pytest.raises(FileRefusedError, match=f"bad, {place}: expected a finite number; got -?"):
        read_entry(text.encode(), "bad")


def test_an_entry_with_numbers_that_are_not_finite_becomes_json_and_is_not_added(entry, tmp_path):
    wrong = replace(entry, seeds=replace(entry.seeds, zsl_std=float("nan")))
    assert json.loads(wrong.to_json())["seeds"].get("zsl_std") is None
    with pytest.raises(FileRefusedError, match="zsl_std: expected a finite number; got nan"):
        add_entry(wrong, tmp_path)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("depth", [50, 200, 400, 900, 5_000])
def test_deeply_nested_values_are_read_or_refused_in_one_sentence(entry, depth):
    values = json.loads(entry.to_json()) | {"spec": {"a": "deep"}}
    text = json.dumps(values).replace('"deep"', '{"a":' * depth + "1" + "}" * depth)
    try:
        assert read_entry(text.encode(), "deep").to_json()
    except FileRefusedError as error:
        assert "deep: expected" in str(error)  # noqa: PT017 - it may also be read


def test_one_bad_file_leaves_the_others_and_is_named(entry, folder):
    (folder / "bad.json").write_bytes(values_of(entry, gamma=None))
    (folder / "twice.json").write_bytes(
        (folder / next(iter(folder.glob("digits*"))).name).read_bytes()
    )
    board = read_board(folder)
    assert len(board.results) == 1
    assert set(board.refused) == {"bad.json", "twice.json"}
    assert "expected a new result; got the contents of digits" in board.refused["twice.json"]
    with pytest.raises(FileRefusedError, match="expected a folder of results"):
        read_board(folder / "none")


# --- Split and overlap ----------------------------------------------------------------------------


def of_cub(entry, name, parts):
    """An entry with a data set declared as CUB."""
    split_of_name = {s.name: s for s in known_splits() if s.dataset == "CUB"}
    split = {part: split_of_name[members].parts[part] for part, members in parts.items()}
    return reread(
        entry, data={"name": "mine", "benchmark": "CUB"}, split={"name": name, "parts": split}
    )


SHARED = dict.fromkeys(("trainval", "test_seen", "test_unseen"), "PS 2.0")


@pytest.mark.parametrize(
    ("name", "parts", "kind"),
    [
        ("PS 2.0", SHARED, "published"),
        ("PS", SHARED, "v1 or 2.0"),
        ("PS v1", SHARED, "v1"),
        ("PS", SHARED | {"train": "PS v1", "val": "PS v1"}, "v1"),
        ("PS 2.0", SHARED | {"train": "PS v1", "val": "PS v1"}, "v1"),
        ("PS", SHARED | {"train": "PS 2.0", "val": "PS 2.0"}, "published"),
        ("PS 2.0", SHARED | {"trainval": "SS"}, "variant"),
        ("SS", {"trainval": "SS", "test_unseen": "SS"}, "published"),
        ("PS 2.0", {}, "unknown"),
        ("PS v1", {}, "v1"),
    ],
)
def test_a_split_is_identified_by_its_rows(entry, name, parts, kind):
    assert checked_entry(of_cub(entry, name, parts), "a.json").split_kind == kind


def test_unpublished_rows_are_unknown(entry):
    other = reread(entry, split={"name": "PS 2.0", "parts": {"test_unseen": "0" * 16}})
    assert checked_entry(other, "a.json").split_kind == "unknown"


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("pretraining", "split", "state", "why"),
    [
        (["imagenet-1k"], "PS 2.0", "clean", "By name, none of the 10 unseen classes is in"),
        (["imagenet-1k"], "SS", "overlapping", "6 of 10 unseen classes are in ImageNet-1K"),
        (["imagenet-21k"], "PS 2.0", "overlapping", "10 of 10"),
        (["none"], "SS", "clean", "trained on no images"),
        ([], "PS 2.0", "unknown", "does not state the pre-training set of the extractor"),
        (["laion-2b"], "PS 2.0", "unknown", "classes of laion-2b are unknown"),
        (["imagenet-1k"], "own", "unknown", "does not name its unseen classes"),
    ],
)
def test_overlap_with_pretraining_is_computed_or_unknown(entry, pretraining, split, state, why):
    data = {"name": "mine", "benchmark": "AWA1", "pretraining": pretraining}
    changed = reread(entry, data=data, split={"name": split}, unseen_classes=None, per_class=None)
    result = checked_entry(changed, "a.json")
    assert result.overlap_word == state
    assert why in result.overlap.sentence


# --- The table ------------------------------------------------------------------------------------


def test_intervals_over_classes_are_those_of_the_scores(finished_run, entry):
    result, scored = finished_run.result, finished_run.scores
    drawn = metrics_of_draws(scored, class_draws(scored.seen), result.gamma)
    (row,) = rows_of_results([checked_entry(entry, "a.json")])
    # The board orders the classes differently, so its bootstrap draws differ.
    for name, metric in (("zsl", "zsl"), ("H_gamma", "calibrated_harmonic")):
        sides = scored.seen if metric != "zsl" else np.zeros(int((~scored.seen).sum()), bool)
        low, high = np.clip(interval(drawn[metric], classes=fewest_classes(sides)), 0, 1)
        assert row[f"{name}_low"] == pytest.approx(low, abs=0.04)
        assert row[f"{name}_high"] == pytest.approx(high, abs=0.04)
        assert row[f"{name}_low"] < row[name] < row[f"{name}_high"]


@pytest.mark.parametrize("metric", ["H_gamma", "H", "zsl"])
def test_ties_are_sorted_by_further_metrics(entry, metric):
    order = ["H_gamma", "H", "zsl"]
    plain = {"per_class": None, "figures": {"H_gamma": 0.4, "H": 0.4, "zsl": 0.4}}
    files = {"a.json": 0.3, "b.json": 0.5, "c.json": 0.4}
    changed = []
    for file, value in files.items():
        # Later columns give the opposite order, but they decide only ties.
        later = dict.fromkeys(order[order.index(metric) + 1 :], 1 - value)
        values = plain | {"figures": plain["figures"] | later | {metric: value}}
        changed.append(checked_entry(reread(entry, **values), file))
    assert list(table_of(changed)["file"]) == ["b.json", "c.json", "a.json"]
    equal = [checked_entry(reread(entry, **plain), file) for file in ("b.json", "a.json")]
    assert list(table_of(equal)["file"]) == ["a.json", "b.json"]


def test_an_upper_bound_is_never_above_a_result(entry):
    gone = dict.fromkeys(["figures__u_gamma", "figures__s_gamma", "per_class__at_gamma"])
    used_test_set = reread(entry, gamma__origin="oracle", figures__H_gamma=0.99, **gone)
    table = table_of([checked_entry(used_test_set, "a.json"), checked_entry(entry, "b.json")])
    assert table["gamma_origin"].tolist() == ["validated", "oracle"]
    html = board_html(read_board_of(used_test_set, entry))
    assert html.count('<tr class="bound">') == 1


def read_board_of(*entries):
    from zslcore.board.checking import Board

    return Board(tuple(checked_entry(e, f"{k}.json") for k, e in enumerate(entries)), {}, "0" * 16)


def test_the_same_folder_gives_the_same_bytes(entry, folder, tmp_path_factory):
    (folder / "bad.json").write_bytes(values_of(entry, gamma=None))
    (folder / "hers.json").write_bytes(values_of(entry, who="Grace"))
    other = tmp_path_factory.mktemp("other")
    # The copies are written in reverse order.
    for path in sorted(folder.glob("*.json"), reverse=True):
        (other / path.name).write_bytes(path.read_bytes())
    for form in (board_html, as_csv):
        assert form(read_board(folder)) == form(read_board(other))
    (other / "hers.json").unlink()
    assert board_html(read_board(folder)) != board_html(read_board(other))


def test_every_output_format_has_every_result(entry, folder):
    (folder / "hers.json").write_bytes(values_of(entry, who="Grace", data__pretraining=None))
    board = read_board(folder)
    table = pd.read_csv(io.StringIO(as_csv(board)))
    assert sorted(table["who"]) == ["Ada", "Grace"]
    assert table["H_gamma"].tolist() == pytest.approx([entry.figures.H_gamma] * 2)
    assert set(table["contamination"]) == {"clean", "unknown"}
    html = board_html(board)
    assert html.count("<tr>") == 3
    assert "Grace" in html
    assert ">unknown</td>" in html
    assert 'href="https://example.org/a"' in html
    assert not re.search(r'(src|href)="(?!https://example\.org)', html)
    assert f"{100 * entry.figures.H_gamma:.1f}" in html


def test_intervals_are_computed_once_for_all_formats(entry, folder, monkeypatch):
    """Otherwise each format and each run of the page would take seconds with many classes."""
    board = read_board(folder)
    first = as_csv(board)

    def drawn_again(*_):
        raise AssertionError("intervals were computed again")

    monkeypatch.setattr(board_table, "mean_draws", drawn_again)
    assert as_csv(board) == first
    board_html(board)


def test_names_from_files_are_escaped(entry):
    name = '<img src=x onerror=alert(1)>" &'
    html = board_html(read_board_of(reread(entry, method=name, who="=1+1", data__features=name)))
    assert "<img" not in html
    assert "&lt;img src=x" in html
    assert "'=1+1" in as_csv(read_board_of(reread(entry, who="=1+1")))


# --- The command ----------------------------------------------------------------------------------


def test_the_command_checks_writes_and_reports_refusals(entry, folder, printed):
    words = ["board", str(folder), "--output", *(str(folder / f"b.{e}") for e in ("html", "csv"))]
    assert "1 result (splits: 1 published; overlap: 1 clean), 0 refused" in printed(*words)
    assert (folder / "b.csv").read_text() == as_csv(read_board(folder))
    assert (folder / "b.html").read_text() == board_html(read_board(folder))
    (folder / "bad.json").write_bytes(values_of(entry, gamma=None))
    refusals = printed("board", folder, "--check", status=1).splitlines()[1:]
    assert refusals[0].startswith("zslcore: bad.json, gamma.origin: expected the origin")
    assert "expected a name that ends in .html or .csv" in printed(
        "board", str(folder), "--output", "x.pdf", status=2
    )


def test_a_stored_run_and_judged_scores_are_added(own_data, finished_run, tmp_path, printed):
    result, scored = finished_run.result, finished_run.scores
    ResultStore().put(result)
    folder = tmp_path / "board"
    assert "LinearS2V" in printed("board", folder, "--add", result.key[:8], "--who", "Ada")
    path = tmp_path / "run.json"
    path.write_text(result.to_json())
    assert main(["board", str(folder), "--add", str(path), "--who", "Grace"]) == 0
    file = ScoreFile("own.npz", scored.F, scored.y, np.flatnonzero(~scored.seen))
    path.write_text(judge(interpret(file, ["as-is"])[0]).to_json())
    words = ["board", str(folder), "--add", str(path), "--who", "Ada", "--method", "Mine"]
    assert "expected --provenance for scores" in printed(*words, status=2)
    assert main([*words, "--provenance", "My model.", "--pretraining", "none"]) == 0
    assert {result.entry.method for result in read_board(folder).results} == {"LinearS2V", "Mine"}
    assert len(read_board(folder).results) == 3
    assert "--add: expected --who" in printed("board", folder, "--add", result.key, status=2)


def test_a_result_never_overwrites_another(entry, folder):
    other = replace(entry, created="2020-01-01")
    with pytest.raises(ParameterError, match="expected a new name"):
        add_entry(other, folder)
    assert add_entry(entry, folder).exists()
