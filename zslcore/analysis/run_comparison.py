"""The differences of two runs: in the spec, in the figures, class by class.

Figures are only as comparable as their specs: :func:`cautions` returns in sentences what limits
a comparison. Classes are paired by name, which makes the difference of two methods on the same
test set far surer than two separate intervals.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Any

import pandas as pd

from zslcore.evaluation.figures import FIGURES, values_of
from zslcore.evaluation.runs import RunResult
from zslcore.exceptions import DatasetError
from zslcore.metrics.significance import PairedTest, paired_test

#: Fields of a spec, in the order of a reader.
SPEC = ("dataset", "digest", "split", "method", "select_for", "features", "prototypes", "seed")


def in_spec(first: RunResult, second: RunResult) -> pd.DataFrame:
    """Return what was run, field by field.

    Returns
    -------
    DataFrame
        ``field``, ``first``, ``second`` as text (empty where a run has no such field) and
        ``differs``. Parameters are those the runs used.
    """
    both = [_spec_and_origin(result) for result in (first, second)]
    rows = [
        (name, *("" if each.get(name) is None else str(each[name]) for each in both))
        for name in dict.fromkeys([*both[0], *both[1]])
    ]
    table = pd.DataFrame(rows, columns=["field", "first", "second"])
    return table.assign(differs=table["first"] != table["second"])


def _spec_and_origin(result: RunResult) -> dict[str, Any]:
    """Return everything the figures depend on, and what made them."""
    spec = result.spec
    fields: dict[str, Any] = {name: getattr(spec, name) for name in SPEC}
    fields |= {f"parameter {name}": value for name, value in sorted(result.params.items())}
    fields |= {"parameters are": result.params_origin, "chosen by": result.rule}
    fields |= {"gamma": result.gamma, "gamma is": result.gamma_origin}
    for name, values in (spec.grid or {}).items():
        fields[f"grid of {name}"] = ", ".join(map(str, values))
    fields |= {f"revision of {name}": number for name, number in spec.revisions.items()}
    fields |= {"version": result.version, "commit": result.commit}
    return fields | dict(sorted(result.environment.items()))


def in_figures(first: RunResult, second: RunResult) -> pd.DataFrame:
    """Return the figures of both, fractions in [0, 1].

    Returns
    -------
    DataFrame
        One row a figure that either has, in the order of :mod:`zslcore.evaluation.figures`:
        ``figure`` (its label; "oracle" is chosen on the test set), ``first``, ``second`` and
        ``difference`` (second - first), missing where one has none.
    """
    both = [dict(_figures(result)) for result in (first, second)]
    rows = [(name, *(each.get(name) for each in both)) for name in dict.fromkeys(chain(*both))]
    table = pd.DataFrame(rows, columns=["figure", "first", "second"])
    table[["first", "second"]] = table[["first", "second"]].astype(float)
    return table.assign(difference=table["second"] - table["first"])


def _figures(result: RunResult) -> Iterator[tuple[str, float]]:
    for name, value in values_of(result.evaluation).items():
        if value is not None:
            yield FIGURES[name].label, value
    if result.evaluation.zsl_top5 is not None:
        yield "ZSL, top 5", result.evaluation.zsl_top5
    oracle = result.oracle
    if oracle is not None and result.params_origin != "given":
        yield "ZSL, oracle", oracle.zsl
    if oracle is not None and oracle.harmonic is not None:
        yield "H, oracle", oracle.harmonic


def by_class(first: RunResult, second: RunResult) -> pd.DataFrame:
    """Return the accuracy of every class that both have tested, paired by name.

    Returns
    -------
    DataFrame
        One row a class, those that differ most first: ``class``, ``side`` ("seen" or "unseen", in
        the first run), ``task`` ("ZSL", unseen classes among themselves, or "GZSL", all classes at
        each run's own gamma), ``first``, ``second``, ``difference`` (second - first).
    """
    rows, unseen = [], set(_named(first, "per_class_zsl"))
    for task, figure in (("ZSL", "per_class_zsl"), ("GZSL", "per_class")):
        one, two = (_named(result, figure) for result in (first, second))
        rows += [
            (name, "unseen" if name in unseen else "seen", task, one[name], two[name])
            for name in one
            if name in two
        ]
    table = pd.DataFrame(rows, columns=["class", "side", "task", "first", "second"])
    table["difference"] = table["second"] - table["first"]
    return table.sort_values("difference", key=abs, ascending=False, kind="stable").reset_index(
        drop=True
    )


def _named(result: RunResult, figure: str) -> dict[str, float]:
    accuracies: dict[int, float] = getattr(result.evaluation, figure)
    return {result.class_names[c]: value for c, value in accuracies.items()}


def class_test(first: RunResult, second: RunResult) -> PairedTest | None:
    """Test whether the ZSL accuracies of the unseen classes differ, the class being the unit.

    None where the runs did not test the same unseen classes, or fewer than two.
    """
    one, two = (_named(result, "per_class_zsl") for result in (first, second))
    if one.keys() != two.keys():
        return None
    try:
        question = "Second run less first, ZSL accuracy of a class:"
        return paired_test(question, [two[name] - one[name] for name in one], of="classes")
    except DatasetError:
        return None


def cautions(first: RunResult, second: RunResult) -> list[str]:
    """Return what limits a comparison of two runs, one sentence each."""
    one, two = first.spec, second.spec
    found = []
    if one.dataset != two.dataset:
        found.append(f"The data differ: {one.dataset} and {two.dataset}.")
    elif one.digest != two.digest:
        found.append(f"{one.dataset} has other content in the second run (digest).")
    if one.split != two.split:
        found.append(f"The splits differ: {one.split} and {two.split}.")
    if one.select_for != two.select_for:
        found.append(
            f"Parameters were chosen for {one.select_for.upper()} in the first run and for "
            f"{two.select_for.upper()} in the second."
        )
    chosen = [
        f"parameters {result.params_origin}, gamma {result.gamma_origin or 'none'}"
        for result in (first, second)
    ]
    if chosen[0] != chosen[1]:
        found.append(f"They were chosen differently: {chosen[0]}; {chosen[1]}.")
    if first.rule != second.rule and first.params_origin == second.params_origin:
        rules = " and ".join(result.rule or "not noted" for result in (first, second))
        found.append(f"The folds' scores chose by different rules: {rules}.")
    if one.revisions.get("protocol") != two.revisions.get("protocol"):
        found.append("Two revisions of the protocol made them.")
    if first.simulated != second.simulated:
        found.append("One of the two data sets is simulated.")
    return found
