"""Selection, sorting, export and comparison of stored runs.

CSV has one row per run, JSON everything that is stored, and LaTeX a table with booktabs. For two
runs, :func:`cautions` lists the limits of a comparison. Classes are paired by name, so that the
interval of a difference is much narrower than two separate intervals suggest.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields
from datetime import date
from itertools import chain
from typing import Any

import pandas as pd

from zslcore.analysis.papers.printed import ChosenFor, chosen_for
from zslcore.evaluation import plugins
from zslcore.evaluation.predicted_tests import origin_in_words
from zslcore.evaluation.registry import REGISTRY, headings, metric_names, values_of
from zslcore.evaluation.runs import RunResult
from zslcore.exceptions import DatasetError, ZSLError, closest_name
from zslcore.methods import METHODS
from zslcore.metrics.significance import PairedTest, paired_test
from zslcore.numbers import percent, signed
from zslcore.results.planning import ChoiceRule, specs_of_choice
from zslcore.results.store import HERE, Result, StoredRun
from zslcore.storage.tables import best_in_groups, harmless_csv, latex_table
from zslcore.version import stamped, version


def sort_orders() -> Mapping[str, bool]:
    """Return the sort keys of runs, and whether the largest value comes first."""
    of_metrics = {name: REGISTRY[name].larger_is_better for name in metric_names()}
    by_name = {"created": True, "dataset": False, "method": False, "origin": False}
    return by_name | of_metrics | {"seconds": True}


#: Column of a run -> heading in a paper; ``chosen_for`` is the task of the choice of parameters.
LATEX_COLUMNS: Mapping[str, str] = {
    "method": "Method",
    "dataset": "Data set",
    "split": "Split",
    "chosen_for": "Chosen for",
}
#: Task for which parameters were chosen -> its name in tables.
_CHOSEN_FOR: Mapping[ChosenFor, str] = {"zsl": "ZSL", "gzsl": "GZSL", "given": "given"}
#: Value of ``chosen_for`` if another run chose the parameters on the test set: an upper bound.
ORACLE = "oracle"


@dataclass(frozen=True, slots=True)
class RunFilter:
    """Filter of stored results; an empty field or None keeps all results.

    A result passes if, for each list of names, one of its rows has a listed name. ``since`` is the
    first day, in UTC; ``own`` leaves out precomputed results.
    """

    datasets: Collection[str] = ()
    splits: Collection[str] = ()
    methods: Collection[str] = ()
    since: date | None = None
    own: bool = False

    def __call__(self, result: StoredRun | Result) -> bool:
        """Return whether a result passes the filter."""
        rows = result.table()
        names = {"dataset": self.datasets, "split": self.splits, "method": self.methods}
        return (
            all(
                not listed or any(row.get(column) in listed for row in rows)
                for column, listed in names.items()
            )
            and (self.since is None or result.created[:10] >= self.since.isoformat())
            and not (self.own and any(row["origin"] != HERE for row in rows))
        )

    def check(self, runs: Sequence[StoredRun]) -> None:
        """Raise UnknownNameError, with the closest name, for a filter value that no run has."""
        for field in fields(self)[:3]:
            kind = field.name.removesuffix("s")
            names = {str(getattr(run.result.spec, kind)): None for run in runs}
            for name in getattr(self, field.name) if names else ():
                if name not in names:
                    raise closest_name(f"{kind} among the runs", name, names)


def tabulate_results(
    runs: Iterable[StoredRun],
    study_rows: Iterable[Mapping[str, Any]] = (),
    oracle_keys: Collection[str] = (),
) -> pd.DataFrame:
    """Return one tidy row per run, then ``study_rows``, rows of :meth:`Result.table`.

    Accuracies are fractions; ``chosen_for`` is the result of :func:`choice_of`, and ``origin``
    is the run's origin in the store.
    """
    rows = [row | {"chosen_for": choice_of(o, oracle_keys)} for o in runs for row in o.table()]
    return pd.DataFrame([*rows, *study_rows])


def sort_results(table: pd.DataFrame, by: str, *, reverse: bool = False) -> pd.DataFrame:
    """Sort the rows of :func:`tabulate_results`; rows without the metric come last.

    When sorted by time, runs of this data folder come before precomputed results. Raises
    UnknownNameError for a sort key that is not in :func:`sort_orders`.
    """
    if by not in (orders := sort_orders()):
        raise closest_name("order of runs", by, orders)
    if by not in table:
        return table
    table = table.sort_values(by, ascending=orders[by] == reverse, kind="stable")
    if by == "created":
        table = table.sort_values("origin", key=lambda origin: origin != HERE, kind="stable")
    return table


def select_runs(
    runs: Sequence[StoredRun], run_filter: RunFilter, by: str = "created", *, reverse: bool = False
) -> list[StoredRun]:
    """Return the runs that pass a filter, sorted by :func:`sort_results`."""
    chosen = [run for run in runs if run_filter(run)]
    return [chosen[k] for k in sort_results(tabulate_results(chosen), by, reverse=reverse).index]


def oracle_keys(runs: Sequence[StoredRun]) -> frozenset[str]:
    """Return the keys of runs that use the oracle parameters of another run in ``runs``.

    In the store, the origin of these parameters is "given".
    """
    return _keys_of_choice(runs, "oracle")


def single_fold_keys(runs: Sequence[StoredRun]) -> frozenset[str]:
    """Return the keys of runs with parameters that another run chose on a single fold."""
    return _keys_of_choice(runs, "folds")


def _keys_of_choice(runs: Sequence[StoredRun], choice: ChoiceRule) -> frozenset[str]:
    keys: set[str] = set()
    for run in runs:
        with suppress(ZSLError):  # this version may not have the method
            if run.result.params_origin == "validated":
                keys |= {spec.key for spec in specs_of_choice(run.result, choice)}
    return frozenset(keys)


def choice_of(run: StoredRun, oracle_keys: Collection[str]) -> str:
    """Return the origin of parameters: the task "ZSL" or "GZSL", "given" or "oracle"."""
    how = chosen_for(run.result)
    return ORACLE if how == "given" and run.result.key in oracle_keys else _CHOSEN_FOR[how]


def runs_as_csv(
    runs: Sequence[StoredRun],
    oracle_keys: Collection[str] = (),
    study_rows: Iterable[Mapping[str, Any]] = (),
) -> str:
    """Return :func:`tabulate_results` as CSV."""
    return harmless_csv(stamped(tabulate_results(runs, study_rows, oracle_keys)), index=False)


def as_json(runs: Sequence[StoredRun], oracle_keys: Collection[str] = ()) -> str:
    """Return the runs as JSON that :mod:`zslcore.results.run_files` reads."""
    return json.dumps([json.loads(run.to_json()) for run in runs], indent=1) + "\n"


def as_latex(runs: Sequence[StoredRun], oracle_keys: Collection[str] = ()) -> str:
    """Return a LaTeX table for booktabs: accuracies in percent, one decimal.

    The table states which data are simulated, and which parameters were chosen by an oracle.
    """
    names = {**LATEX_COLUMNS, **headings(printed=True)}
    table = tabulate_results(runs, oracle_keys=oracle_keys).reindex(columns=list(names))
    table["dataset"] = [_name(run) for run in runs]
    empty = {name for name in names if len(table) and table[name].isna().all()}
    shown = [name for name in names if name not in empty]
    percent = [name for name in metric_names(unit="fraction") if name in shown]
    values = (100 * table[percent].astype(float)).round(1)
    best = best_in_groups(
        values,
        table[["dataset", "split"]],
        among=table["chosen_for"] != ORACLE,
        smallest=[name for name in percent if not REGISTRY[name].larger_is_better],
    )
    texts = {name: [f"{v:.1f}" if v == v else "–" for v in values[name]] for name in percent}
    return latex_table(
        [names[name] for name in shown],
        table.assign(**texts)[shown].astype(str).to_numpy().tolist(),
        caption="Accuracies in percent; u, s and H are without calibration, H cal. is with it. "
        "Bold: the best result for each data set and split, except with oracle parameters. zslcore "
        f"{version()}.",
        label="tab:runs",
        numeric=[name in texts for name in shown],
        best=best.reindex(columns=shown, fill_value=False).to_numpy(),
    )


def _name(run: StoredRun) -> str:
    name = run.result.spec.dataset
    needs_mark = run.result.simulated and not name.startswith("simulated")
    return f"{name} (simulated)" if needs_mark else name


def as_text(result: RunResult) -> str:
    """Return the metrics of a run in percent as text, with the origin of every choice."""
    e, spec = result.evaluation, result.spec
    simulated = ", simulated" if result.simulated else ""
    lines = [f"{spec.method} on {spec.dataset}{simulated}, split {spec.split}, data {spec.digest}"]
    chosen = ", ".join(f"{name} = {value}" for name, value in result.params.items())
    rule = f", rule: {result.rule}" if result.rule else ""
    lines.append(f"parameters   {chosen}  ({result.params_origin}{rule})")
    if result.gamma is not None:
        how = origin_in_words(result.gamma_origin)
        lines.append(f"gamma        {result.gamma:.3g}  ({how})")
    more = len(e.per_class_zsl) > 5 and e.zsl_top5 is not None
    top5 = f", top-5 {percent(e.zsl_top5)} per class" if more else ""
    lines.append(
        f"ZSL          {percent(e.zsl)} per class, {percent(e.zsl_per_sample)} per image{top5}"
    )
    for name, point in (("plain", e.plain), ("calibrated", e.calibrated)):
        if point is not None:
            how = f"{name}, gamma {point.gamma:.3g}, per class"
            lines.append(f"GZSL         {point.in_words}  ({how})")
    if e.ausuc is not None:
        lines.append(f"AUSUC        {percent(e.ausuc)} per class")
    repeat = f"to repeat: {spec.command()}" if spec.method in METHODS else repeat_hint(spec.method)
    return "\n".join([*lines, *_oracle_lines(result), f"{result.seconds:.1f} s; {repeat}"])


def repeat_hint(method: str) -> str:
    """Return how to repeat a plugin's run, or why a run cannot be repeated, as a clause."""
    if plugins.is_plugin_name(method):
        return f"the method is a plugin: to repeat the run, pass the file of {method} to --method"
    return "the method is not installed here, so the run cannot be repeated"


def _oracle_lines(result: RunResult) -> list[str]:
    """Return the lines on gains from choosing on the test set, if they were computed."""
    gaps = [
        f"{words} {signed(result.oracle_gap[name])} points of {metric}"
        for name, words, metric in GAPS
        if name in result.oracle_gap
    ]
    bounds = " (upper bounds: chosen on the test set)"
    lines = [f"oracle       {', '.join(gaps)}{bounds}"] if gaps else []
    if result.oracle is not None and result.params_origin == "given":
        lines.append(
            "             no gain with oracle parameters: the parameters were given, so no "
            "grid was searched"
        )
    return lines


#: Gains from choosing on the test set: name, label in the app, and metric.
GAPS = (
    ("zsl", "gain with oracle parameters", "ZSL"),
    ("harmonic", "gain with oracle parameters and gamma", "H"),
    ("gamma", "gain with oracle gamma", "H"),
)
FORMATS = {"csv": runs_as_csv, "json": as_json, "latex": as_latex}


# --- The differences of two runs ------------------------------------------------------------------


#: Fields of a spec, in the order shown.
SPEC_FIELDS = (
    "dataset",
    "digest",
    "split",
    "method",
    "select_for",
    "features",
    "prototypes",
    "seed",
)


def compare_specs(first: RunResult, second: RunResult) -> pd.DataFrame:
    """Compare the fields of two runs as text; a missing field is an empty text."""
    pair = [_spec_and_origin(result) for result in (first, second)]
    rows = [
        (name, *("" if values.get(name) is None else str(values[name]) for values in pair))
        for name in dict.fromkeys([*pair[0], *pair[1]])
    ]
    table = pd.DataFrame(rows, columns=["field", "first", "second"])
    return table.assign(differs=table["first"] != table["second"])


def _spec_and_origin(result: RunResult) -> dict[str, Any]:
    """Return everything on which the metrics depend, including versions and the machine."""
    spec = result.spec
    fields: dict[str, Any] = {name: getattr(spec, name) for name in SPEC_FIELDS}
    fields |= {f"parameter {name}": value for name, value in sorted(result.params.items())}
    fields |= {"parameters are": result.params_origin, "chosen by": result.rule}
    fields |= {"gamma": result.gamma, "gamma is": result.gamma_origin}
    for name, values in (spec.grid or {}).items():
        fields[f"grid of {name}"] = ", ".join(map(str, values))
    fields |= {f"revision of {name}": number for name, number in spec.revisions.items()}
    fields |= {"version": result.version, "commit": result.commit}
    return fields | dict(sorted(result.environment.items()))


def compare_metrics(first: RunResult, second: RunResult) -> pd.DataFrame:
    """Compare the metrics of two runs, as fractions; NaN if a run lacks the metric."""
    pair = [dict(_metrics(result)) for result in (first, second)]
    rows = [(name, *(values.get(name) for values in pair)) for name in dict.fromkeys(chain(*pair))]
    table = pd.DataFrame(rows, columns=["metric", "first", "second"])
    table[["first", "second"]] = table[["first", "second"]].astype(float)
    return table.assign(difference=table["second"] - table["first"])


def _metrics(result: RunResult) -> Iterator[tuple[str, float]]:
    for name, value in values_of(result.evaluation).items():
        if value is not None:
            yield REGISTRY[name].label, value
    if result.evaluation.zsl_top5 is not None:
        yield "ZSL, top 5", result.evaluation.zsl_top5
    oracle = result.oracle
    if oracle is not None and result.params_origin != "given":
        yield "ZSL, oracle", oracle.zsl
    if oracle is not None and oracle.harmonic is not None:
        yield "H, oracle", oracle.harmonic


def compare_classes(first: RunResult, second: RunResult) -> pd.DataFrame:
    """Compare the accuracies of classes that both runs test, paired by name.

    ``side`` is "seen" or "unseen", as in the first run; ``task`` is "ZSL" (unseen classes among
    unseen classes) or "GZSL" (all classes, at the gamma of each run).
    """
    rows, unseen = [], set(_accuracies_by_name(first, "per_class_zsl"))
    for task, metric in (("ZSL", "per_class_zsl"), ("GZSL", "per_class")):
        first_accuracies, second_accuracies = (
            _accuracies_by_name(result, metric) for result in (first, second)
        )
        rows += [
            (
                name,
                "unseen" if name in unseen else "seen",
                task,
                first_accuracies[name],
                second_accuracies[name],
            )
            for name in first_accuracies
            if name in second_accuracies
        ]
    table = pd.DataFrame(rows, columns=["class", "side", "task", "first", "second"])
    table["difference"] = table["second"] - table["first"]
    return table.sort_values("difference", key=abs, ascending=False, kind="stable").reset_index(
        drop=True
    )


def _accuracies_by_name(result: RunResult, metric: str) -> dict[str, float]:
    accuracies: dict[int, float] = getattr(result.evaluation, metric)
    return {result.class_names[c]: value for c, value in accuracies.items()}


def class_test(first: RunResult, second: RunResult) -> PairedTest | None:
    """Test over classes whether the ZSL accuracies of two runs differ.

    Returns None if the unseen classes of the runs differ, or are fewer than two.
    """
    first_accuracies, second_accuracies = (
        _accuracies_by_name(result, "per_class_zsl") for result in (first, second)
    )
    if first_accuracies.keys() != second_accuracies.keys():
        return None
    try:
        question = "Second run minus first, ZSL accuracy per class:"
        return paired_test(
            question,
            [second_accuracies[name] - first_accuracies[name] for name in first_accuracies],
            of="classes",
        )
    except DatasetError:
        return None


def cautions(first: RunResult, second: RunResult) -> list[str]:
    """Return the limits of a comparison of two runs, one sentence each."""
    first_spec, second_spec = first.spec, second.spec
    sentences = []
    if first_spec.dataset != second_spec.dataset:
        sentences.append(f"The data differ: {first_spec.dataset} and {second_spec.dataset}.")
    elif first_spec.digest != second_spec.digest:
        sentences.append(f"{first_spec.dataset} has different content in the two runs (digest).")
    if first_spec.split != second_spec.split:
        sentences.append(f"The splits differ: {first_spec.split} and {second_spec.split}.")
    if first_spec.select_for != second_spec.select_for:
        sentences.append(
            f"Parameters were chosen for {first_spec.select_for.upper()} in the first run and for "
            f"{second_spec.select_for.upper()} in the second."
        )
    chosen = [
        f"parameters {result.params_origin}, gamma {result.gamma_origin or 'none'}"
        for result in (first, second)
    ]
    if chosen[0] != chosen[1]:
        sentences.append(
            f"The origin of parameters or gamma differs: {chosen[0]} in the first run; {chosen[1]} "
            "in the second."
        )
    if first.rule != second.rule and first.params_origin == second.params_origin:
        rules = " and ".join(result.rule or "not stated" for result in (first, second))
        sentences.append(f"Parameters were chosen on the folds by different rules: {rules}.")
    if first_spec.revisions.get("protocol") != second_spec.revisions.get("protocol"):
        sentences.append("The runs used different revisions of the protocol.")
    if first.simulated != second.simulated:
        sentences.append("One of the two data sets is simulated.")
    return sentences
