import pytest

from zslcore.analysis.papers.printed import chosen_for, metrics_table
from zslcore.datasets import load
from zslcore.evaluation.runs import run as run_spec
from zslcore.evaluation.specs import RunSpec


def run(dataset, split="PS", method="ESZSL", select_for="gzsl", **params):
    """A run with given parameters, or with parameters chosen on a grid of one point."""
    grid = {} if params else {"gamma": (1.0,), "lam": (0.1,)}
    spec = RunSpec(dataset, split, method, params, select_for=select_for, grid=grid)
    return run_spec(spec, load(dataset), with_oracle=False).result


def test_every_metric_equals_the_evaluation():
    result = run("digits")
    table = metrics_table([result], None)
    e = result.evaluation
    assert list(table["metric"]) == ["zsl", "u", "s", "H", "u", "s", "H"]
    assert set(table["chosen_for"]) == {"gzsl"}
    assert list(table["per_class"]) == [
        e.zsl,
        *(e.plain.unseen, e.plain.seen, e.plain.harmonic),
        *(e.calibrated.unseen, e.calibrated.seen, e.calibrated.harmonic),
    ]
    assert table["per_sample"].iloc[0] == e.zsl_per_sample
    assert table["per_sample"].iloc[-1] == e.calibrated_per_sample.harmonic
    assert table["gamma"].iloc[-1] == result.gamma
    assert table[["benchmark_paper", "calibration_paper"]].isna().all(axis=None)


def test_only_comparable_values_are_printed_together():
    runs = [run("simulated-AWA2", select_for=task) for task in ("zsl", "gzsl")]
    table = metrics_table(runs, "AWA2").set_index(["chosen_for", "metric", "calibrated"])
    xian, le_cacheux = table["benchmark_paper"], table["calibration_paper"]
    # Xian et al. print ZSL, u, s and H of ESZSL on AWA2's PS; Le Cacheux et al. print three H.
    printed = {("zsl", False): 0.586, ("u", False): 0.059, ("s", False): 0.778, ("H", False): 0.11}
    assert xian["zsl"].dropna().to_dict() == pytest.approx(printed)
    assert le_cacheux["zsl", "H", False] == pytest.approx(0.399)
    assert le_cacheux["zsl", "H", True] == pytest.approx(0.536)
    # With parameters chosen for GZSL, no paper prints ZSL accuracy or H without calibration.
    assert xian["gzsl"].isna().all()
    assert le_cacheux["gzsl"].dropna().to_dict() == pytest.approx({("H", True): 0.537})


def test_given_parameters_have_no_printed_value():
    run_result = run("simulated-aPY", gamma=1.0, lam=0.1)
    assert chosen_for(run_result) == "given"
    table = metrics_table([run_result], "aPY")
    assert table[["benchmark_paper", "calibration_paper"]].isna().all(axis=None)


def test_a_split_without_seen_test_images_has_one_metric_chosen_for_zsl():
    table = metrics_table([run("simulated-aPY", split="SS")], "aPY")
    assert list(table["metric"]) == ["zsl"]
    assert list(table["chosen_for"]) == ["zsl"]
    assert table["benchmark_paper"].iloc[0] == pytest.approx(0.344)  # printed for ESZSL on aPY, SS
