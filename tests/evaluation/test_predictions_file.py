"""Predictions files: read if they are valid, refused otherwise."""

import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet

from tests.worlds import linear_world
from tests.writing import write_file
from zslcore.__main__ import main
from zslcore.datasets import load
from zslcore.datasets.base import part_digest
from zslcore.evaluation import runs
from zslcore.evaluation.predicted_tests import ScoredTest
from zslcore.evaluation.predictions_file import is_predictions, read_predictions, write_predictions
from zslcore.evaluation.protocol import evaluate, fit_and_score
from zslcore.evaluation.runs import RunResult
from zslcore.evaluation.specs import RunSpec
from zslcore.evaluation.verification import Reference, State, verify_predictions
from zslcore.exceptions import FileRefusedError, ZSLError
from zslcore.methods import LinearS2V
from zslcore.untrusted.client import Limits

DOCS = Path(__file__).parents[2] / "docs" / "predictions.rst"
WORLD = linear_world(noise=0.8)


@pytest.fixture(scope="module")
def run():
    params = {"lam": 1e-3}
    return runs.run(RunSpec("digits", "PS", "LinearS2V", params), with_oracle=False)


@pytest.fixture
def file(run, tmp_path):
    path = tmp_path / "run.parquet"
    write_predictions(path, run.predictions)
    return path


def changed(file, change, attrs=None):
    """Write the file again with a changed table and changed attributes."""
    table = pd.read_parquet(file)
    attributes = table.attrs
    table = change(table.astype({"label": int, "unseen_class": int, "seen_class": int}))
    table.attrs = {k: v for k, v in (attributes | (attrs or {})).items() if v is not None}
    table.to_parquet(file)
    return file


def same(table):
    return table


def put(column, row, value):
    """Return a change of one value."""

    def change(table):
        out = table.copy()
        if isinstance(value, float):
            out[column] = out[column].astype(float)
        out.loc[row, column] = value
        return out

    return change


def refused(file, match, **options):
    with pytest.raises(FileRefusedError, match=match) as error:
        read_predictions(file, **options)
    assert str(error.value).startswith("run.parquet")
    assert str(error.value).count("\n") == 0


def reasons(file):
    digits = load("digits")
    return verify_predictions(read_predictions(file), Reference.of(digits, digits.split("PS")))


# --- Valid files ----------------------------------------------------------------------------------


def test_pandas_reads_and_writes_the_same_file(file, run):
    predictions = read_predictions(changed(file, same))
    assert predictions.evaluation == run.result.evaluation
    assert predictions.provenance == run.predictions.provenance
    assert predictions.chosen_gamma == run.result.gamma
    assert reasons(file).state is State.VERIFIED


def test_the_documented_example_of_predictions_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    split = WORLD.split("PS")
    scores = fit_and_score(LinearS2V(), WORLD, split)
    names = {
        "F": scores.F,
        "y": scores.y,
        "is_unseen": ~scores.seen,
        "rows": np.concatenate([split.test_seen, split.test_unseen]),
        "names": WORLD.class_names,
    }
    blocks = re.findall(r".. code-block:: python\n\n((?:   .*\n|\n)+)", DOCS.read_text())
    assert len(blocks) == 2
    for block in blocks:
        exec(re.sub(r"^   ", "", block, flags=re.M), names)
    assert names["metrics"].calibrated == evaluate(scores, 0.1).calibrated
    assert names["curve"].ausuc == scores.curve.ausuc
    assert names["state"] == State.STATED
    assert (
        verify_predictions(names["predictions"], Reference.of(WORLD, split)).state is State.VERIFIED
    )
    lines = [line for line in blocks[0].splitlines() if line and "import" not in line]
    assert len(lines) == 5


def test_other_types_of_numbers_are_accepted(file, run):
    types = {"row": "int32", "label": "uint8", "seen_class": "float64", "margin": "float64"}
    changed(file, lambda table: table.astype(types).assign(part=table["part"].astype("category")))
    assert read_predictions(file).evaluation == run.result.evaluation


def test_margins_of_single_precision_are_read(file, run):
    predictions = read_predictions(changed(file, lambda t: t.astype({"margin": "float32"})))
    assert predictions.evaluation.plain == run.result.evaluation.plain


def test_rows_in_another_order_give_the_same_metrics(file, run):
    predictions = read_predictions(
        changed(file, lambda table: table.sample(frac=1, random_state=0))
    )
    expected = run.result.evaluation
    assert predictions.evaluation.zsl == pytest.approx(expected.zsl, abs=1e-12)
    assert predictions.evaluation.ausuc == pytest.approx(expected.ausuc, abs=1e-12)
    assert reasons(file).reasons == ()


def test_other_parquet_files_are_not_predictions(file, tmp_path):
    assert is_predictions(file)
    pd.DataFrame({"scores": [1.0]}).to_parquet(tmp_path / "other.parquet")
    assert not is_predictions(tmp_path / "other.parquet")
    assert not is_predictions(write_file(tmp_path / "short", b"PAR1PAR1"))


# --- Unreadable files -----------------------------------------------------------------------------

WRONG = {
    "part": (put("part", 3, "test_both"), r"part: expected test_seen, .* got 'test_both'"),
    "label on the other side": (
        put("label", 0, 8),
        r"test, label: expected a seen class, as its part states; got class 8 for row",
    ),
    "class out of range": (put("label", 0, 77), r"test, label: expected a candidate class; got cl"),
    "answer on the other side": (
        put("seen_class", 0, 9),
        r"test, seen_class: expected a seen class; got class 9 for row",
    ),
    "unseen answer out of range": (
        put("unseen_class", 2, -5),
        r"test, unseen_class: expected an unseen class; got class -5",
    ),
    "no answer that could win": (
        put("unseen_class", 2, -1),
        r"test, unseen_class: expected an unseen class; got class -1",
    ),
    "NaN": (put("margin", 4, float("nan")), r"variable 'margin': expected a number .* in row 4"),
    "negative row": (put("row", 4, -4), r"test, row: expected numbers of at least 0; got -4"),
    "fraction": (put("row", 4, 0.5), r"variable 'row': expected whole numbers; got 0.5"),
    "rank": (put("zsl_rank", 784, 9.0), r"zsl_rank: expected 1 .* else 2 to 3; got 9"),
    "no such column": (
        lambda table: table.drop(columns="margin"),
        r"variable 'margin': not in the file, which holds part, row",
    ),
    "texts for numbers": (
        lambda table: table.assign(label=table["label"].astype(str)),
        r"variable 'label': expected whole numbers; got (large_)?string",
    ),
    "numbers for texts": (
        lambda table: table.assign(part=1),
        r"variable 'part': expected strings; got int64",
    ),
    "no test rows": (lambda table: table.iloc[785:], r"part: expected rows of test_seen or"),
    "nothing": (
        lambda table: table.iloc[:0].astype({"part": "string[pyarrow]"}),
        r"expected rows of test_seen or test_unseen; got no",
    ),
    "a fold of one side": (
        lambda table: table[table["part"] != "fold_1_unseen"],
        r"fold_1: expected validation rows of seen and of unseen classes; got none of unseen",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_table_is_refused_in_one_sentence(name, file):
    change, match = WRONG[name]
    refused(changed(file, change), match)


ATTRIBUTES = [
    (
        {"schema": "zslcore-predictions/2"},
        r"expected predictions, .* got schema 'zslcore-predictions/2'",
    ),
    ({"class_names": None}, r"and class_names"),
    ({"class_names": ["a", "b"]}, r"unseen_classes: expected different numbers from 0 to 1"),
    ({"class_names": 3}, r"class_names: .*tuple; got 3"),
    ({"unseen_classes": [7, 7]}, r"unseen_classes: expected different numbers .* some twice"),
    ({"gamma": None}, r"gamma: expected a number and its origin, or neither; got None"),
    ({"gamma": "much"}, r"gamma: .*number.*; got 'much'"),
    ({"gamma_origin": "believed"}, r"gamma_origin: .*; got 'believed'"),
    (
        {"resolution": {"test": -1.0}},
        r"test, resolution: expected a number of at least 0; got -1.0",
    ),
    ({"anything": 1}, r"anything: .*; got 1"),
]


@pytest.mark.parametrize(("attrs", "match"), ATTRIBUTES)
def test_wrong_attributes_are_refused_in_one_sentence(attrs, match, file):
    refused(changed(file, same, attrs), match)


def test_control_characters_in_texts_are_removed(file):
    predictions = read_predictions(changed(file, same, {"method": "\x1b[2Jmine\u202e"}))
    assert predictions.provenance.method == "[2Jmine"


def test_a_truncated_predictions_file_is_refused(file):
    content = file.read_bytes()
    file.write_bytes(content[: len(content) // 2])
    refused(file, "damaged or truncated|crashed its reader")
    with pytest.raises(FileRefusedError):
        read_predictions(write_file(file, content[:200] + bytes(200) + content[400:]))
    refused(write_file(file, b"no parquet"), "expected Parquet, as its ending says; got")


def test_declared_sizes_of_a_file_are_limited(file):
    """A million rows of one value take a few bytes, so their declared size is refused."""
    n = 4_000_000
    numbers = ("row", "label", "seen_class", "unseen_class", "margin")
    part = pa.array(["test_seen"] * n).dictionary_encode()
    table = pa.table({"part": part} | dict.fromkeys(numbers, np.zeros(n, np.int8)))
    parquet.write_table(table, file, compression="zstd")
    refused(file, r"declares 4,000,000 rows \([\d,]+ bytes\), more than the [\d,]+ bytes allowed")
    refused(file, "declares", limits=Limits(free_bytes=1 << 30, declared_bytes=1 << 20))


def test_a_long_text_repeated_in_many_rows_is_stored_once(file):
    """A text of 200 kB in 200,000 rows would be 40 GB."""
    n = 200_000
    part = pa.DictionaryArray.from_arrays(np.zeros(n, np.int32), ["x" * 200_000])
    numbers = ("row", "label", "seen_class", "unseen_class", "margin")
    table = pa.table({"part": part} | {name: np.zeros(n) for name in numbers})
    attrs = json.dumps({"class_names": ["a"], "unseen_classes": [0]})
    # Without Arrow's own schema, the texts are not marked as a dictionary.
    with parquet.ParquetWriter(file, table.schema, store_schema=False) as writer:
        writer.write_table(table)
        writer.add_key_value_metadata({"PANDAS_ATTRS": attrs})
    refused(file, "part: expected test_seen")


# --- Contradictions -------------------------------------------------------------------------------


def label_of_another(table):
    """Give the first unseen test image the class of another image."""
    k = table.index[table["part"] == "test_unseen"][0]
    other = next(c for c in (7, 8, 9) if c != table.loc[k, "label"])
    out = table.drop(columns="zsl_rank")
    out.loc[k, "label"] = other
    return out


LIES = {
    "label": (label_of_another, r"test, label: expected '.*' for row \d+; got '.*'\."),
    "missing": (lambda t: t.drop(index=10), r"test: expected every test row once; row .* is miss"),
    "twice": (
        lambda t: pd.concat([t, t.iloc[:1]]),
        r"test: expected every test row once; row \d+ is repeated",
    ),
    "foreign": (
        lambda t: t.assign(
            row=t["row"].where(t.index != 0, t.loc[t["part"] == "fold_1_seen", "row"].iloc[0])
        ),
        r"row \d+ is not in the test set|expected rows outside the test set",
    ),
    "a test image among those that chose gamma": (
        lambda t: t.assign(row=t["row"].where(t.index != 785, t.loc[0, "row"])),
        r"fold_1: expected rows outside the test set; got row \d+",
    ),
    "validation row twice": (
        lambda t: pd.concat([t, t.iloc[785:786]]),
        r"fold_1: expected every row once; row \d+ occurs 2 times",
    ),
}


@pytest.mark.parametrize("name", LIES)
def test_a_false_claim_is_refused_with_its_reason(name, file):
    change, match = LIES[name]
    check = reasons(changed(file, change))
    assert check.state is None
    assert any(re.search(match, reason) for reason in check.reasons), check.reasons


def test_a_gamma_chosen_on_the_test_set_is_refused(file, run):
    best = run.predictions.test.curve.best()
    assert best.harmonic > run.result.evaluation.calibrated.harmonic
    (reason,) = reasons(changed(file, same, {"gamma": best.gamma})).reasons
    assert re.match(r"gamma: expected the choice of the validation rows, .*; got ", reason)


def test_folds_with_unseen_test_classes_are_refused(file):
    check = reasons(changed(file, same, {"unseen_classes": [7, 8, 9]}))
    assert check.state is State.VERIFIED

    def tested(table):
        """Turn every fold into one with the unseen classes of the test set."""
        test = table[table["part"].str.startswith("test")]
        return pd.concat([test, test.assign(part=test["part"].str.replace("test", "fold_1"))])

    check = reasons(changed(file, tested))
    assert any(
        "no unseen test class among the validation classes" in reason for reason in check.reasons
    )


def test_other_data_and_other_classes_are_refused(file):
    (reason,) = reasons(changed(file, same, {"digest": "0" * 16})).reasons
    assert "expected data" in reason
    names = [f"class {k}" for k in range(10)]
    check = reasons(changed(file, same, {"digest": None, "class_names": names}))
    assert any("expected the name" in reason for reason in check.reasons)


def test_facts_that_cannot_be_checked_are_only_stated(file, run):
    assert verify_predictions(run.predictions).state is State.STATED
    check = reasons(changed(file, lambda table: table.iloc[:785]))
    assert check.state is State.STATED
    assert check.unknown == ("gamma is stated as validated, but no validation rows confirm it.",)
    coarse = {"resolution": {"test": 0.5}}
    check = reasons(changed(file, same, coarse))
    assert check.state is State.STATED
    assert "count as equal" in check.unknown[0]


def test_rows_are_identified_by_the_digest_of_a_split(run):
    """If the rows of a split are not available, the digests of its parts identify it."""
    digits = load("digits")
    whole = Reference.of(digits, digits.split("PS"))
    reference = Reference(
        whole.name, whole.labels, whole.class_names, whole.unseen_classes, whole.parts
    )
    assert verify_predictions(run.predictions, reference).state is State.VERIFIED
    other = {**whole.parts, "test_seen": part_digest(np.arange(5))}
    wrong = Reference(whole.name, whole.labels, whole.class_names, whole.unseen_classes, other)
    assert verify_predictions(run.predictions, wrong).reasons == (
        "test_seen: expected the rows of digits, split PS; got other rows.",
    )


# --- Commands -------------------------------------------------------------------------------------


def said_by(capsys, *words):
    code = main([str(word) for word in words])
    out, err = capsys.readouterr()
    return code, out, err


def test_zslcore_score_reads_the_predictions_of_zslcore_run(tmp_path, capsys):
    path = tmp_path / "eszsl.parquet"
    words = ("run", "--method", "ESZSL", "--param", "lam=0.001", "--no-oracle", "--no-store")
    code, out, _ = said_by(capsys, *words, "--json", "--predictions", path)
    assert code == 0
    result = RunResult.from_json(out)
    code, out, _ = said_by(capsys, "score", path, "--json")
    assert code == 0
    report = json.loads(out)
    assert report["gamma"] == result.gamma
    assert report["gamma_origin"] == "validated"
    for name in ("zsl", "zsl_top5", "ausuc"):
        assert report["evaluation"][name] == getattr(result.evaluation, name)
    calibrated = result.evaluation.calibrated
    assert report["evaluation"]["calibrated"]["harmonic"] == calibrated.harmonic
    assert any("Verified" in remark for remark in report["remarks"])
    changed(path, same, {"gamma": result.gamma + 5})
    code, _, err = said_by(capsys, "score", path)
    assert code == 2
    assert "gamma: expected the choice of the validation rows" in err


def test_zslcore_score_writes_predictions_of_a_matrix(tmp_path, capsys):
    scores = fit_and_score(LinearS2V(), WORLD, WORLD.split("PS"))
    rng = np.random.default_rng(0)
    unseen_and_labels = {"unseen_classes": np.flatnonzero(~scores.seen), "y": scores.y}
    np.savez(tmp_path / "own.npz", scores=scores.F, **unseen_and_labels)
    np.savez(
        tmp_path / "val.npz",
        scores=scores.F + 1e-3 * rng.normal(size=scores.F.shape),
        **unseen_and_labels,
    )
    out_file = tmp_path / "own.parquet"
    words = ("score", tmp_path / "own.npz", "--validation", tmp_path / "val.npz", "--json")
    _, out, _ = said_by(capsys, *words, "--predictions", out_file)
    of_matrix = json.loads(out)
    predictions = read_predictions(out_file)
    assert predictions.provenance.rows == "file"
    assert predictions.chosen_gamma == predictions.gamma == of_matrix["gamma"]
    assert predictions.evaluation == evaluate(
        ScoredTest(scores.F, scores.y, scores.classes, scores.seen), predictions.gamma
    )
    code, _, err = said_by(capsys, "score", out_file, "--gamma", "1")
    assert code == 2
    assert "--gamma: expected a score file; got predictions" in err
    code, _, err = said_by(
        capsys, "score", out_file, out_file, "--predictions", tmp_path / "x.parquet"
    )
    assert code == 2
    assert "--predictions: expected one FILE; got 2" in err


def test_predictions_never_replace_a_folder(run, tmp_path):
    (tmp_path / "folder").mkdir()
    with pytest.raises((ZSLError, OSError)):
        write_predictions(tmp_path / "folder", run.predictions)
    assert list(tmp_path.iterdir()) == [tmp_path / "folder"]
