import json
import sys
from dataclasses import replace
from typing import Literal, get_args, get_origin

import pytest

from tests.worlds import imagenet_world, linear_world
from zslcore.__main__ import main
from zslcore.analysis.large_scale import measure
from zslcore.commands.options import describe_dataset
from zslcore.commands.run import read_params
from zslcore.datasets import import_dataset, imports, load
from zslcore.evaluation.runs import RunResult
from zslcore.large.shards import write_shards
from zslcore.methods import METHODS
from zslcore.numbers import signed
from zslcore.results.store import ResultStore

pytestmark = pytest.mark.usefixtures("own_data")


def test_run_prints_metrics_with_their_origin_and_stores_them(printed):
    text = printed("run", "--method", "LinearS2V")
    (stored,) = ResultStore().results()
    assert f"ZSL          {100 * stored.evaluation.zsl:.1f} % per class" in text
    assert f"H {100 * stored.evaluation.calibrated.harmonic:.1f} %  (calibrated" in text
    assert "(validated, rule: best)" in text
    assert text.count("validated") == 2
    assert "gain with oracle parameters and gamma" in text
    assert stored.spec.command() in text


def test_the_json_of_a_run_is_read_back_unchanged(printed):
    words = "run --method SAE --param lam=0.5 --json --no-store --no-oracle"
    result = RunResult.from_json(printed(*words.split()))
    assert result.params["lam"] == 0.5
    assert (result.params_origin, result.gamma_origin) == ("given", "validated")
    assert result.oracle is None
    assert ResultStore().results() == []


@pytest.mark.nightly
def test_a_terminal_shows_the_progress_of_a_run_and_clears_the_line(capsys, monkeypatch):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    words = "run --method CMT --param epochs=2 --no-store --no-oracle"
    assert main(words.split()) == 0
    lines = capsys.readouterr().err.split("\r")
    assert any("Choosing parameters on the folds, training 1 of" in line for line in lines)
    assert any(line.startswith("100%  Fitting on all training classes") for line in lines)
    assert lines[-2].strip() == lines[-1] == ""


def test_the_printed_command_gives_the_same_numbers(capsys, printed):
    words = "run --method ESZSL --param lam=0.1 --gamma 0.2 --seed 2 --json"
    first = json.loads(printed(*words.split()))
    (stored,) = ResultStore().results()
    assert (
        json.loads(printed(*stored.spec.command().split()[1:], "--json"))["evaluation"]
        == first["evaluation"]
    )


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("run --method ESZLS", "Unknown method 'ESZLS'; did you mean 'ESZSL'?"),
        ("run --method ESZSL --dataset digit", "did you mean 'digits'?"),
        ("run --method ESZSL --split SP", "Unknown split of digits 'SP'; did you mean 'PS'?"),
        ("run --method ESZSL --param lam", "expected NAME=VALUE; got 'lam'."),
        ("run --method ESZSL --param lam=x", "ESZSL: lam must be a positive number; got 'x'."),
        ("run --method ESZSL --features L2", "Preprocessing of features must be one of"),
    ],
)
def test_impossible_runs_are_refused_in_one_sentence_with_exit_code_2(words, sentence, capsys):
    assert main(words.split()) == 2
    out, err = capsys.readouterr()
    assert not out
    assert sentence in err
    assert err.count("\n") == 1


def test_every_parameter_survives_the_printed_command():
    for name, method in METHODS.items():
        for param, default in method().get_params().items():
            hint = method.hints()[param]
            choices = get_args(hint) if get_origin(hint) is Literal else ()
            for value in {default, *choices, *method.param_grid.get(param, ())}:
                read = read_params(name, [f"{param}={value}"])[param]
                assert (read, type(read)) == (value, type(value)), (name, param)


def test_leak_cost_prints_text_or_json(capsys, printed):
    words = "leak-cost --method LinearS2V LinearV2S --leak training --given"
    text = printed(*words.split())
    assert text.startswith(f"on digits, data {load('digits').digest}, split PS\n")
    assert text.count("trained on the test images of seen classes; parameters given") == 2
    assert text.count("AUSUC") == 2
    rows = json.loads(printed(*words.split(), "--json"))
    assert {row["method"] for row in rows} == {"LinearS2V", "LinearV2S"}
    assert {(row["dataset"], row["split"], row["simulated"]) for row in rows} == {
        ("digits", "PS", False)
    }
    gained = next(row for row in rows if row["metric"] == "ausuc")
    assert f"{signed(gained['difference'])} points" in text
    assert "expected a photograph with rows in training" in printed(
        "leak-cost", "--method", "ESZSL", "--leak", "photographs", status=2
    )


def test_imagenet_prints_the_nine_test_sets_as_text_or_json(printed, tmp_path):
    world = import_dataset(imagenet_world())
    text = printed("large-scale", "--dataset", "ids")
    result = measure("ESZSL", world)
    assert text.startswith(f"ESZSL on ids, simulated, data {world.digest}; chosen on the fold: ")
    for name in result.counts.names:
        line = next(line for line in text.splitlines() if line.startswith(f"{name} "))
        assert f"{100 * result.counts.accuracy(name, 5, task='gzsl'):.2f} %" in line
    rows = json.loads(printed("large-scale", "--dataset", "ids", "--json"))
    assert len(rows) == 9 * 2 * 5
    assert {(row["method"], row["digest"]) for row in rows} == {("ESZSL", world.digest)}
    assert "such as n01440764" in printed("large-scale", "--dataset", "digits", status=2)
    assert main(["large-scale", "--method", "EZSL"]) == 2
    nowhere = ["--dataset", "simulated-ImageNet-full", "--shards", str(tmp_path / "nowhere")]
    assert "expected a folder of shards" in printed("large-scale", *nowhere, status=2)


def test_imagenet_evaluates_a_folder_of_shards_by_its_class_ids(capsys, printed, tmp_path):
    world = imagenet_world()
    write_shards(tmp_path / "mine", [(world.features, world.labels)])
    lines = [f"class,{','.join(world.attribute_names)}"]
    lines += [
        f"{name.split(' ')[0]},{','.join(map(str, row.tolist()))}"
        for name, row in zip(world.class_names, world.prototypes, strict=True)
    ]
    file = tmp_path / "words.csv"
    file.write_text("\n".join(lines))
    words = ["large-scale", "--shards", str(tmp_path / "mine"), "--prototypes", str(file)]
    text = printed(*words)
    assert text.startswith("ESZSL on mine, data ")
    assert len(text.splitlines()) == 11
    file.write_text("\n".join(lines[:-3]))
    assert main(words) == 2
    assert "labels must lie in 0..40, the rows of prototypes; got 0..43" in capsys.readouterr().err
    assert "--shards FOLDER" in printed("large-scale", "--prototypes", file, status=2)


def test_simulated_data_are_marked():
    assert describe_dataset(load("simulated-aPY")).startswith("simulated-aPY, simulated, data ")


def test_a_comparison_computes_missing_runs_once_and_ranks_them(printed, monkeypatch):
    words = ["compare", "--method", "LinearS2V", "LinearV2S", "SAE", "--jobs", "1", "--folds"]
    text = printed(*words)
    stored = ResultStore().results()
    assert {result.spec.method for result in stored} == {"LinearS2V", "LinearV2S", "SAE"}
    assert "3 occasions" in text  # each fold is an occasion
    assert text.startswith(f"on digits, data {load('digits').digest}\n")
    assert "H at gamma, mean per class, parameters chosen for GZSL" in text
    assert all(method in text for method in ("LinearS2V", "LinearV2S", "SAE"))
    again = "zslcore.results.planning.run"
    monkeypatch.setattr(again, lambda *_, **__: pytest.fail("run again"))
    rows = json.loads(printed(*words, "--json", "--metric", "zsl"))
    assert len(rows) == 9
    assert {row["digest"] for row in rows} == {load("digits").digest}
    assert main([*words, "--metric", "accuracy"]) == 2


def test_methods_are_compared_on_data_with_only_precomputed_results(capsys, printed, monkeypatch):
    words = ["compare", "--dataset", "CUB-vgg_fc7", "AWA1-lss", "--method", "ESZSL", "SAE"]
    assert "Unknown data set 'CUB-vgg_fc7'" in printed(*words, status=2)
    monkeypatch.setenv("ZSL_SHIPPED", "1")
    assert main([*words, "CE-GZSL", "--jobs", "1"]) == 0
    out, err = capsys.readouterr()
    assert "\nESZSL " in out
    assert "\nSAE " in out
    assert "Not ranked, since a metric is missing: CE-GZSL" in out
    assert "CE-GZSL on AWA1-lss, split PS: AWA1-lss has only precomputed results, but this" in err


def test_compare_uses_the_only_split_of_a_data_set_under_any_name(own_data, printed):
    world = linear_world(noise=1.0)
    own = replace(world, splits=[replace(world.split("PS"), name="own")])
    imports.import_read_dataset(own, "birds")
    words = ["compare", "--dataset", "birds", "--method", "ESZSL", "LinearS2V", "--json"]
    rows = json.loads(printed(*words))
    assert {(row["split"], row["method"]) for row in rows} == {
        ("own", "ESZSL"),
        ("own", "LinearS2V"),
    }
    assert all(row["value"] > 0 for row in rows)


def test_claims_are_judged_on_stored_runs(capsys, printed):
    assert main(["run", "--method", "LinearS2V", "--no-oracle"]) == 0
    capsys.readouterr()
    words = "claims --id cal-lifts-every-method gbu-cross-p --json"
    assert main(words.split()) == 0
    first, second = json.loads(capsys.readouterr().out)
    assert first["judgments"]["printed"]["verdict"] == "holds"
    # The run is on digits; the claim is about CUB and AWA2.
    assert first["judgments"]["real"]["verdict"] == "undecided"
    assert second["judgments"]["printed"]["number"] == pytest.approx(0.35075, abs=1e-5)
    assert main(["run", "--method", "LinearS2V", "--no-oracle", "--select-for", "zsl"]) == 0
    capsys.readouterr()
    assert "real features: UNDECIDED. No run on CUB or AWA2 is available" in printed(
        "claims", "--id", "cal-lifts-every-method"
    )


@pytest.mark.parametrize(
    ("option", "line"),
    [("--lint", "H: 70 checked, 1 disagreement."), ("--findings", "- aPY's Proposed")],
)
def test_claims_list_findings_too(printed, option, line):
    assert line in printed("claims", option)
    assert json.loads(printed("claims", option, "--json"))


def test_claims_refuse_unknown_names(capsys, printed):
    assert "did you mean 'gbu-cross-p'?" in printed("claims", "--id", "gbu-cros-p", status=2)
    assert "--id: expected neither --lint nor --findings" in printed(
        "claims", "--lint", "--id", "gbu-cross-p", status=2
    )
