"""Results files: read in the sandbox, and refused if they are contradictory."""

import hashlib
import json

import pytest

from tests.pages import visit
from tests.worlds import linear_world
from zslcore.__main__ import main
from zslcore.analysis.stored_runs import as_json, oracle_keys
from zslcore.evaluation import runs
from zslcore.evaluation.runs import RunResult
from zslcore.evaluation.specs import RunSpec
from zslcore.exceptions import FileRefusedError, UnknownNameError
from zslcore.results import run_files as module
from zslcore.results.run_files import read_runs
from zslcore.results.store import ResultStore, StoredRun
from zslcore.untrusted import answers

WORLD = linear_world(noise=1.0)


@pytest.fixture(scope="module")
def result():
    return runs.run(RunSpec(WORLD.name, "PS", "LinearS2V"), WORLD).result


def read(text, folder):
    """Read a results file."""
    path = folder / "hers.json"
    path.write_text(text)
    return read_runs(path)


def test_exported_results_are_read(result, tmp_path):
    assert read(result.to_json(), tmp_path) == [result]
    assert read(as_json([StoredRun(result), StoredRun(result)]), tmp_path) == [result, result]


def changed(result, **values):
    entry = json.loads(result.to_json())
    for path, value in values.items():
        *outer, last = path.split("__")
        place = entry
        for name in outer:
            place = place[name]
        place[last] = value
    return json.dumps(entry)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"evaluation__zsl": 1.2}, "result 1: zsl must lie between 0 and 1; got 1.2"),
        ({"evaluation__zsl": 0.0}, "zsl must be the mean of its classes"),
        ({"evaluation__ausuc": float("nan")}, "ausuc must lie between 0 and 1; got nan"),
        ({"evaluation__plain__seen": -1}, "plain, seen must lie between 0 and 1; got -1"),
        ({"oracle__zsl": 7}, "oracle, zsl must lie between 0 and 1"),
        (
            {"spec__gamma": 0.5},
            "gamma_origin must be 'given', since the spec has a gamma; got 'validated'",
        ),
        ({"key": "0" * 16}, "the key of its spec"),
        ({"spec__seed": 5}, "the key of its spec"),
        ({"created": "yesterday"}, "created must be a time with its time zone"),
        ({"source": "\x1b[31mred"}, "got control characters"),
        ({"source": "x" * 2001}, "text of at most 2,000 characters; got 2,001, which begin 'xxx"),
        ({"params__lam": {"x" * 2001: 1}}, "text of at most 2,000 characters; got 2,001"),
        ({"seconds": float("nan")}, "expected finite numbers; got NaN or infinity"),
        ({"params__lam": [float("inf")]}, "expected finite numbers"),
        ({"evaluation__calibrated__gamma": "nan"}, "expected finite numbers"),
        ({"evaluation__per_class_plain__0": 7}, "accuracy of class 0 must lie between 0 and 1"),
        ({"class_names": {}}, "every class with an accuracy must have a name"),
        ({"spec__method": "LinearS3V"}, "values that do not fit"),
        ({"schema": 99}, "schema 99, this version reads 3"),
    ],
)
def test_contradictory_results_are_refused_in_one_sentence(result, tmp_path, change, sentence):
    with pytest.raises(FileRefusedError, match=r"^hers\.json.*\.$") as error:
        read(changed(result, **change), tmp_path)
    assert sentence in str(error.value)


def test_a_text_of_the_maximum_length_is_accepted(result, tmp_path):
    assert len(read(changed(result, source="x" * module.MAX_TEXT), tmp_path)) == 1


def of_unknown_method(result, method="FancyNet", **spec):
    """The same result, as written by a version or a program with another method."""
    entry = json.loads(result.to_json())
    revisions = {"protocol": result.spec.revisions["protocol"], method: 7}
    more = {"params": {"depth": 3}, "grid": {"width": [1, 2]}} | spec
    entry["spec"] |= {"method": method, "revisions": revisions} | more
    entry["params"] = {"depth": 3, "width": 2}
    entry["oracle"]["zsl_params"] = entry["oracle"]["gzsl_params"] = {"width": 1}
    key = hashlib.sha256(json.dumps(entry["spec"], sort_keys=True).encode()).hexdigest()[:16]
    return json.dumps(entry | {"key": key})


@pytest.mark.parametrize("method", ["FancyNet", "LinearS2V"])
def test_results_of_unknown_methods_are_listed_and_exported(
    result, tmp_path, monkeypatch, capsys, method
):
    """A later revision of a method may have other parameters."""
    monkeypatch.setenv("ZSL_DATA", str(tmp_path))
    own = ResultStore()
    own.put(result)
    (other,) = read(of_unknown_method(result, method), tmp_path)
    own.put(other)
    assert own.unreadable() == ""
    assert {stored_run.result.spec.method for stored_run in own.stored()} == {"LinearS2V", method}
    key = other.key
    words = [["list"], ["list", "--json"], ["show", key], ["compare", key, result.key]]
    words += [["export", "--format", form] for form in ("csv", "json", "latex")]
    for word in words:
        assert main(["runs", *word]) == 0, word
        assert method in capsys.readouterr().out
    page = visit("table")
    assert not page.exception
    assert not page.error
    assert main(["runs", "delete", key]) == 0
    assert [stored_run.id for stored_run in own.stored()] == [result.key]


def with_spec(result, drop=(), **more):
    """The same result with other fields in its spec, and the matching key."""
    entry = json.loads(result.to_json())
    spec = {name: value for name, value in entry["spec"].items() if name not in drop} | more
    key = hashlib.sha256(json.dumps(spec, sort_keys=True).encode()).hexdigest()[:16]
    return json.dumps(entry | {"spec": spec, "key": key})


@pytest.mark.parametrize(
    ("spec", "sentence"),
    [
        (
            {"release": "0.2"},
            "expected a spec with the fields of this version; got the field release",
        ),
        ({"folds": 9}, "expected a spec with the fields of this version; got the field folds"),
        ({"\u202efolds": 9}, "control characters"),
        ({"drop": ["grid"]}, "the key of its spec"),
        ({"seed": 0.0}, "the key of its spec"),
    ],
)
def test_a_spec_with_unknown_or_changed_fields_is_refused(result, tmp_path, spec, sentence):
    """An export of such a result would not match its key."""
    with pytest.raises(FileRefusedError, match=sentence):
        read(with_spec(result, **spec), tmp_path)


def test_unknown_methods_cannot_be_run(result):
    spec = RunResult.from_json(of_unknown_method(result)).spec
    assert spec.method in spec.command()
    for run in (
        lambda: spec.at_current_revision,
        lambda: spec.estimator,
        lambda: runs.run(spec, WORLD).result,
    ):
        with pytest.raises(UnknownNameError, match="Unknown method 'FancyNet'"):
            run()


def test_impossible_parameters_do_not_break_a_list_of_runs(result, tmp_path):
    entry = json.loads(result.to_json())
    entry["oracle"]["gzsl_params"] = {"bogus": 1}
    stored = [StoredRun(item) for item in read(json.dumps(entry), tmp_path)]
    assert oracle_keys(stored) == frozenset()
    assert as_json(stored)


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "7", "[7]", "null", "[" * 100_000, '{"a":' * 400 + "1" + "}" * 400]
)
def test_other_files_are_refused_in_one_sentence(tmp_path, text):
    with pytest.raises(FileRefusedError, match=r"^hers\.json"):
        read(text, tmp_path)


def test_one_invalid_result_refuses_the_whole_file(result, tmp_path):
    with pytest.raises(FileRefusedError, match=r"hers\.json, result 2"):
        read(f"[{result.to_json()}, {changed(result, key='x')}]", tmp_path)


def test_a_missing_or_too_large_file_is_refused(result, tmp_path, monkeypatch):
    with pytest.raises(FileRefusedError, match=r"none\.json: expected a file"):
        read_runs(tmp_path / "none.json")
    (tmp_path / "big.json").write_text(result.to_json())
    monkeypatch.setattr(module, "MAX_BYTES", 100)
    with pytest.raises(FileRefusedError, match="at most 100 bytes"):
        read_runs(tmp_path / "big.json")


def test_a_stored_run_has_the_origin_here_and_its_key_as_id(result):
    assert StoredRun(result).table()[0]["origin"] == "here"
    assert StoredRun(result).id == result.key


def test_a_file_of_results_is_read_by_the_sandbox(result, tmp_path, monkeypatch):
    request = []
    real = answers.call
    monkeypatch.setattr(
        answers,
        "call",
        lambda reader, *args, **more: request.append(args) or real(reader, *args, **more),
    )
    read(result.to_json(), tmp_path)
    assert [kind for _, kind, _ in request] == ["JSON"]
