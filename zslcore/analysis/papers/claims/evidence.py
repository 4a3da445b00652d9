"""Evidence for claims: printed tables or runs, as tidy tables with the same columns."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, Literal

import numpy as np
import pandas as pd

from zslcore.analysis.metric_names import METRICS
from zslcore.datasets.facts import (
    benchmark_in_name,
    class_facts,
    earlier_version,
    fact_sources,
    published_table,
    unseen_classes,
)
from zslcore.datasets.imports import pretraining_by_name
from zslcore.evaluation.registry import on_board
from zslcore.evaluation.runs import RunResult
from zslcore.evaluation.specs import revisions_of
from zslcore.methods import METHODS
from zslcore.metrics.gain import gain_of
from zslcore.metrics.significance import DIGITS
from zslcore.names import class_key
from zslcore.results.planning import specs_of_choice
from zslcore.results.shipped import shipped_results
from zslcore.storage.files import FACTS

#: Bodies of evidence on which claims are judged.
Body = Literal["printed", "real", "yours", "simulated"]
BODIES: dict[Body, str] = {
    "printed": "printed tables",
    "real": "runs on real features",
    "yours": "your own runs",
    "simulated": "runs on simulated data",
}
#: Columns of :attr:`ClaimEvidence.metrics`.
COLUMNS = (
    "table",
    "data",
    "benchmark",
    "pretraining",
    "split",
    "method",
    "metric",
    "chosen_for",
    "value",
    "spread",
    "seeds",
)
#: Inductive methods of the benchmark paper's table 3, except CMT*.
BENCHMARK_METHODS = (
    *("DAP", "IAP", "CONSE", "CMT", "SSE", "LATEM", "ALE", "DEVISE", "SJE", "ESZSL", "SYNC", "SAE"),
    "GFZSL",
)
#: Paper -> method -> variant of the paper, if it is not the default here.
VARIANTS: dict[str, dict[str, str]] = {"GBU": {"SAE": "V2S", "GFZSL": "estimated"}}
#: Methods with variants that differ only for seen candidates, and are equal for ZSL.
SEEN_VARIANTS = ("GFZSL",)
#: Minimum number of methods in a ranking from printed tables, or over folds.
MIN_METHODS = 10
#: Name of a group -> its methods.
METHOD_GROUPS: dict[str, tuple[str, ...]] = {
    "GBU": BENCHMARK_METHODS,
    "GBU and CMT*": (*BENCHMARK_METHODS, "CMT*"),
}
#: Pre-training set of hand-crafted features; these are controls, not evidence on deep features.
NO_PRETRAINING = "none"


def describe_metric(metric: str) -> str:
    """Return the name of a metric or task in sentences."""
    return {"gain": "OverlapGain", "lam": "λ", "gzsl": "GZSL"}.get(
        metric, metric.replace("zsl", "ZSL").replace("at gamma", "at γ")
    )


def join_names(names: Sequence[str], last: str = "and") -> str:
    """Join names with commas, and the last with a word."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} {last} {names[-1]}"


class UndecidedError(Exception):
    """Raised for missing evidence; the message is one sentence on the missing part."""


@dataclass(frozen=True, slots=True, eq=False)
class ReadCells:
    """Cells that a claim reads: rows of metrics in ``parts``, and other printed tables by name."""

    parts: list[pd.DataFrame] = field(default_factory=list)
    tables: dict[str, pd.DataFrame] = field(default_factory=dict)

    @property
    def metrics(self) -> pd.DataFrame:
        """All metrics that were read, without repetitions, in the order of reading."""
        metrics = pd.concat(self.parts) if self.parts else pd.DataFrame(columns=list(COLUMNS))
        return metrics[~metrics.index.duplicated()]

    def wide(self) -> pd.DataFrame:
        """Return the metrics: one row per method, one column per data set, split and metric."""
        metrics = self.metrics
        return pd.DataFrame() if metrics.empty else to_wide(metrics, metrics)


def to_wide(rows: pd.DataFrame, metrics: pd.DataFrame) -> pd.DataFrame:
    """Return rows in wide format, one per method, with headings that are unique in ``metrics``."""
    rows = rows.assign(column=[_heading(row, metrics) for _, row in rows.iterrows()])
    return rows.pivot_table("value", "method", "column", sort=False, aggfunc="first")


def _heading(row: pd.Series, metrics: pd.DataFrame) -> str:
    """Return a column name with the values that distinguish it from other columns."""
    names = [str(row["data"])]
    for column in ("split", "metric", "chosen_for", "table"):
        if (metrics[column] != row[column]).any():
            value = str(row[column])
            names.append(f"for {value.upper()}" if column == "chosen_for" else value)
    return ", ".join(names)


@dataclass(frozen=True, slots=True, eq=False)
class ClaimEvidence:
    """Metrics of methods on data sets, and printed tables with other contents.

    ``metrics`` has the columns of :data:`COLUMNS`: ``table`` is a printed table such as "GBU 3", or
    "runs"; ``benchmark`` is the benchmark that the data are or simulate; ``pretraining`` is "none"
    for features without pre-training, empty if unknown; ``metric`` is a key of
    :data:`COLUMN_OF_METRIC`, where "gain" is the overlap gain with ImageNet-1K on SS; ``value`` is
    the mean over seeds, accuracies as fractions; ``spread`` is the standard deviation over seeds,
    NaN for one seed; ``seeds`` is NaN for printed tables. ``controls`` is the evidence from
    features without pre-training, which :meth:`deep` separates. ``benchmarks`` and ``methods`` are
    those of the claim; empty ``methods`` stands for all methods. ``cells`` collects the metrics
    that are read.
    """

    body: Body
    metrics: pd.DataFrame
    tables: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    controls: ClaimEvidence | None = None
    benchmarks: tuple[str, ...] = ()
    methods: tuple[str, ...] = ()
    cells: ReadCells | None = None

    def of_tables(self, names: Collection[str]) -> ClaimEvidence:
        """Keep only the metrics of these printed tables; evidence from runs is unchanged."""
        if self.body != "printed":
            return self
        return replace(self, metrics=self.metrics[self.metrics["table"].isin(names)])

    def of_paper(self, paper: str, benchmarks: Collection[str]) -> ClaimEvidence:
        """Keep the paper's variants on these benchmarks, preferably with raw features."""
        rows = self.metrics[self.metrics["benchmark"].isin(benchmarks)]
        if self.body == "printed":
            return replace(self, metrics=rows)
        named = zip(rows["method"], rows["metric"], strict=True)
        names = [_as_in(paper, name, metric) for name, metric in named]
        rows = rows.assign(
            method=pd.Series(names, rows.index, object),
            raw=["features none" in name for name in rows["method"]],
        )
        rows = rows.dropna(subset=["method"]).sort_values("raw", ascending=False, kind="stable")
        same = ["data", "split", "method", "metric", "chosen_for"]
        return replace(self, metrics=rows.drop_duplicates(same).sort_index()[list(COLUMNS)])

    def select_pretraining(self, pretraining: str) -> ClaimEvidence:
        """Keep metrics of features pre-trained on this set; UndecidedError if there are none."""
        rows = self.metrics
        named = rows["pretraining"].fillna("").str.split(" + ", regex=False)
        chosen = rows[[pretraining in names for names in named]]
        if chosen.empty:
            unknown = sorted(rows["data"][rows["pretraining"].fillna("") == ""].unique())
            unknown_clause = (
                f"; the pre-training of {', '.join(unknown)} is unknown" if unknown else ""
            )
            data_clause = f"of {', '.join(rows['benchmark'].unique())} " if len(rows) else ""
            raise UndecidedError(
                f"No features {data_clause}here were trained on {pretraining}{unknown_clause}."
            )
        return replace(self, metrics=chosen)

    def separate_controls(self) -> ClaimEvidence:
        """Move the metrics of hand-crafted features to ``controls``.

        Metrics of pre-trained features are kept, also those with unknown pre-training.
        """
        trained = self.metrics["pretraining"].fillna("") != NO_PRETRAINING
        control = replace(self, metrics=self.metrics[~trained])
        return replace(self, metrics=self.metrics[trained], controls=control)

    def has(self, metric: str) -> bool:
        """Return whether any row has this metric."""
        return bool((self.metrics["metric"] == metric).any())

    def _one_set_per_benchmark(self) -> Collection[str]:
        """Return the data set with the shortest name of each benchmark, to count images once."""
        rows = self.metrics[~self.metrics["data"].duplicated()]
        pairs = list(zip(map(str, rows["data"]), rows["benchmark"], strict=True))
        ordered = sorted(pairs, key=lambda pair: (len(pair[0]), pair[0]), reverse=True)
        return {benchmark: data for data, benchmark in ordered}.values()

    def rows(self, metric: str, **where: str) -> pd.DataFrame:
        """Return the rows of a metric with the values ``where`` in other columns.

        Of several data sets of a benchmark, the one with the shortest name counts. Raises
        UndecidedError if there are no rows.
        """
        metrics = self.metrics
        chosen = (metrics["metric"] == metric).to_numpy(bool)
        for column, value in where.items():
            chosen = chosen & (metrics[column] == value).to_numpy(bool)
        rows = metrics[chosen & metrics["data"].isin(self._one_set_per_benchmark()).to_numpy()]
        if rows.empty:
            conditions = [
                f"{'parameters for ' if name == 'chosen_for' else ''}{describe_metric(value)}"
                for name, value in where.items()
            ]
            in_brackets = f" ({', '.join(conditions)})" if conditions else ""
            raise UndecidedError(f"No {describe_metric(metric)}{in_brackets} is available.")
        if self.cells is not None:
            self.cells.parts.append(rows)
        return rows

    def table(self, name: str) -> pd.DataFrame:
        """Return a printed table that is not part of ``metrics``."""
        if self.cells is not None:
            self.cells.tables[name] = self.tables[name]
        return self.tables[name]

    def printed(self, table: str, value: str, index: Sequence[str], **where: object) -> pd.Series:
        """Return a column of a printed table by ``index``; ``where`` maps columns to values."""
        rows = self._of_methods(self.table(table))
        for column, expected in where.items():
            rows = rows[rows[column].isin(expected if isinstance(expected, list) else [expected])]
        return rows.dropna(subset=[value]).set_index([*index])[value].round(DIGITS)

    def cases(
        self,
        metric: str,
        index: Sequence[str] = ("method", "data"),
        *,
        value: str = "value",
        **where: str,
    ) -> pd.Series:
        """Return a metric of the claim's methods by case; ``where`` as in :meth:`rows`.

        A case is a combination of values in the columns ``index``. Without ``chosen_for`` in
        ``where``, runs with parameters chosen for ZSL have precedence.
        """
        rows = self._of_methods(self.rows(metric, **where))
        if "chosen_for" not in where:
            same = ["data", "split", "method", "table"]
            rows = rows.sort_values("chosen_for", ascending=False, kind="stable")
            rows = rows.drop_duplicates(same).sort_index()
        return rows.dropna(subset=[value]).set_index([*index])[value]

    def _of_methods(self, rows: pd.DataFrame) -> pd.DataFrame:
        """Return the rows of the claim's methods; all rows if the claim names no methods."""
        chosen = rows["method"].isin(self.methods) if self.methods else slice(None)
        return rows[chosen]

    def benchmark_of_data(self) -> pd.Series:
        """Return the benchmark of each data set."""
        return self.metrics.drop_duplicates("data").set_index("data")["benchmark"]

    def coverage(self, cases: pd.Series) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the data sets of cases, and the methods with a case on all of them."""
        parts = [] if self.cells is None else self.cells.parts
        if not parts:
            return (), ()
        used = pd.concat([self._of_methods(rows) for rows in parts]).dropna(subset=["value"])
        index = cases.index.to_frame(index=False)
        data = (index if "data" in index else used)["data"].unique()
        methods = [*(index if "method" in index else used)["method"].unique()]
        if "data" in index and "method" in index:
            on = index.groupby("method", sort=False)["data"].nunique()
            methods = [*on.index[on == len(data)]]
        return tuple(map(str, data)), tuple(map(str, methods))

    def comparison_table(
        self,
        metric: str,
        split: str = "PS",
        min_methods: int = MIN_METHODS,
    ) -> pd.DataFrame:
        """Return a metric with one row per data set and split, and one column per method.

        The table has no gaps: it has the data sets with at least ``min_methods`` of the methods,
        and the methods with a result on all of these. Raises UndecidedError if fewer than
        ``min_methods`` methods remain.
        """
        rows = self.rows(metric, split=split, chosen_for="zsl")
        wide = rows.pivot_table("value", ["data", "split"], "method", sort=False)
        wide = wide.reindex(columns=list(self.methods))
        wide = wide[wide.notna().sum(axis=1) >= min_methods].dropna(axis=1)
        if wide.empty or wide.shape[1] < min_methods:
            raise UndecidedError(
                f"The test needs {min_methods} of the paper's methods on the same data "
                f"({describe_metric(metric)}, {split}); fewer are available."
            )
        return wide

    def on(self, benchmark: str, metric: str, split: str = "PS") -> pd.Series:
        """Return a metric of the claim's methods on a benchmark; empty if there are no runs.

        The Series has the name of the data set.
        """
        try:
            rows = self.rows(metric, benchmark=benchmark, split=split, chosen_for="zsl")
        except UndecidedError:
            return pd.Series(dtype=float)
        values = rows.groupby("method", sort=False)["value"].mean().rename(rows["data"].iloc[0])
        return values[[name for name in self.methods if name in values]]


# --- Printed metrics ------------------------------------------------------------------------------


@cache
def printed_evidence() -> ClaimEvidence:
    """Return the metrics in the papers' tables as evidence, and other tables unchanged."""
    parts = [*of_benchmark_paper(), *_of_conference_paper(), *_of_calibration_paper()]
    metrics = pd.concat([part.reindex(columns=COLUMNS) for part in parts], ignore_index=True)
    other_tables = (
        *("cross_dataset_awa", "imagenet_zsl_top1", "overlap_gain_action", "reproduction"),
        *("action_bidilel_splits", "transductive_text", "zsl_mean_ranks"),
    )
    return ClaimEvidence("printed", metrics, {name: published_table(name) for name in other_tables})


def _printed(
    table: str, rows: pd.DataFrame, metric: str, value: str, **columns: Any
) -> pd.DataFrame:
    """Return rows of a printed table with the columns of evidence."""
    named = rows.rename(columns={value: "value"}).assign(table=table, metric=metric, **columns)
    named = named.assign(data=named["dataset"], benchmark=named["dataset"])
    return named.assign(pretraining="imagenet-1k")  # both papers use ResNet-101 features


def of_benchmark_paper(
    read: Callable[[str], pd.DataFrame] = published_table, zsl: str = "GBU 3", gzsl: str = "GBU 6"
) -> Iterable[pd.DataFrame]:
    """Yield the metrics of a version of the benchmark paper, under the names of its two tables."""
    yield _printed(zsl, read("zsl_top1"), "zsl", "top1_per_class", chosen_for="zsl")
    for metric, column in (("u", "unseen"), ("s", "seen"), ("H", "harmonic")):
        yield _printed(gzsl, read("gzsl_ps"), metric, column, chosen_for="zsl", split="PS")


#: Methods and data sets (by today's names) of the benchmark's conference version.
TEN_METHODS = (*("DAP", "CONSE", "CMT", "SSE", "LATEM", "ALE", "DEVISE", "SJE", "ESZSL", "SYNC"),)
FOUR_DATA_SETS = ("SUN", "CUB", "AWA1", "aPY")


def _of_conference_paper() -> Iterable[pd.DataFrame]:
    """Yield tables 3 and 5 of the conference version, with the earlier values."""
    for part in of_benchmark_paper(earlier_version, "CVPR 3", "CVPR 5"):
        methods = part["method"].isin([*TEN_METHODS, "CMT*"])
        yield part[methods & part["data"].isin(FOUR_DATA_SETS)]


def _of_calibration_paper() -> Iterable[pd.DataFrame]:
    zsl = published_table("calibration_zsl_top1").rename(columns={"top1_per_class_std": "spread"})
    yield _printed("CAL 1", zsl, "zsl", "top1_per_class", chosen_for="zsl")
    quoted = published_table("text_figures").query("paper == 'CAL' and table == 'zsl_top1'")
    quoted = quoted.drop(columns="table")
    yield _printed("CAL 1, quoted", quoted, "zsl", "quoted", chosen_for="zsl")
    gzsl = published_table("calibration_gzsl_harmonic").assign(split="PS")
    gzsl["chosen_for"] = gzsl["lambda_selected_for"]
    for metric, calibrated in (("H", "no"), ("H at gamma", "yes")):
        yield _printed("CAL 2", gzsl[gzsl["calibrated"] == calibrated], metric, "harmonic")
    crops = published_table("calibration_10crop").assign(split="PS")
    for metric, column in (
        ("zsl", "zsl_per_class"),
        ("zsl per sample", "zsl_per_sample"),
        ("H at gamma", "harmonic_per_class"),
        ("H per sample", "harmonic_per_sample"),
    ):
        yield _printed("CAL 3", crops, metric, column, chosen_for="gzsl")


# --- Metrics of runs ------------------------------------------------------------------------------


#: Metric -> column of :func:`result_rows`.
COLUMN_OF_METRIC: Mapping[str, str] = {
    **{name: METRICS[name] for name in ("zsl", "u", "s", "H", "H at gamma")},
    "zsl per sample": "zsl_per_sample",
    "H per sample": "harmonic_per_sample",
    "gain": "gain",
    "lam": "lam",
    **{f"zsl, fold {k}": f"zsl_fold{k}" for k in (1, 2, 3)},
}


def metrics_of_run(result: RunResult) -> dict[str, Any]:
    """Return the row of a run, with per-sample metrics."""
    e = result.evaluation
    row = result.row() | {"zsl_per_sample": e.zsl_per_sample}
    if e.calibrated_per_sample is not None:
        row["harmonic_per_sample"] = e.calibrated_per_sample.harmonic
    return row


def result_rows(results: Iterable[RunResult]) -> pd.DataFrame:
    """Return one row per stored result, with the fields that evidence needs.

    ``gain`` is the overlap gain on SS for the benchmark's classes in ImageNet-1K; ``zsl_fold1`` to
    ``zsl_fold3`` are ZSL accuracies with the parameters chosen on a single fold.
    """
    by_key = {result.key: result for result in results}
    rows = []
    for result in by_key.values():
        row = metrics_of_run(result) | {"benchmark": _benchmark(result)}
        row["pretraining"] = " + ".join(
            pretraining_by_name(result.spec.dataset, result.spec.digest)
        )
        row["gain"] = _gain(result, row["benchmark"])
        for k, spec in enumerate(specs_of_choice(result, "folds"), start=1):
            of_fold = by_key.get(spec.key)
            row[f"zsl_fold{k}"] = None if of_fold is None else of_fold.evaluation.zsl
        rows.append(row)
    return pd.DataFrame(rows)


def evidence_of(results: Iterable[RunResult]) -> dict[Body, ClaimEvidence]:
    """Return evidence by body: all results on real data, your results, simulated data.

    If precomputed results are among ``results``, the real data include our board entries.
    """
    rows = result_rows(results)
    shipped = {(result.key, result.created) for result in shipped_results()}
    pairs = zip(rows["key"], rows["created"], strict=True) if len(rows) else ()
    is_shipped = [pair in shipped for pair in pairs]
    own_rows = rows[~np.array(is_shipped, dtype=bool)] if any(is_shipped) else rows
    all_rows = pd.concat([board_rows(), rows], ignore_index=True) if any(is_shipped) else rows
    return {
        "real": evidence_from_rows(all_rows, simulated=False),
        "yours": replace(evidence_from_rows(own_rows, simulated=False), body="yours"),
        "simulated": evidence_from_rows(rows, simulated=True),
    }


@cache
def board_rows() -> pd.DataFrame:
    """Return our board entries from current revisions of protocol and method, as rows of runs.

    Board entries have no per-class and per-sample metrics; ``zsl_std`` is the standard deviation
    over ``seeds``.
    """
    rows = []
    for path in sorted((FACTS / "board").glob("*.json")):
        entry = json.loads(path.read_text(encoding="utf-8"))
        if entry["who"] == OURS and not entry["data"]["simulated"] and _is_current(entry):
            rows.append(_board_row(entry))
    return pd.DataFrame(rows)


def _is_current(entry: Mapping[str, Any]) -> bool:
    """Return whether a board entry is from the current revisions of protocol and method."""
    method, versions = entry["method"], entry["versions"]
    return method in METHODS and all(
        versions.get(f"revision of {name}") == str(today)
        for name, today in revisions_of(METHODS[method](**entry["parameters"]["params"])).items()
    )


def _board_row(entry: Mapping[str, Any]) -> dict[str, Any]:
    spec, metrics = entry["spec"], entry["figures"]
    of_spec = ("dataset", "split", "method", "select_for", "features", "prototypes", "seed")
    columns = {metric.name: metrics.get(name, np.nan) for name, metric in on_board().items()}
    seeds = entry.get("seeds", {})
    return (
        {name: spec[name] for name in of_spec}
        | columns
        | {
            "digest": entry["data"]["digest"],
            "benchmark": entry["data"]["benchmark"],
            "pretraining": " + ".join(entry["data"]["pretraining"]),
            "simulated": False,
            "params": json.dumps(entry["parameters"]["params"]),
            "params_origin": entry["parameters"]["origin"],
            "created": "",
            "zsl_std": seeds.get("zsl_std", np.nan),
            "seeds": seeds.get("n", 1),
        }
    )


def evidence_from_rows(rows: pd.DataFrame, *, simulated: bool) -> ClaimEvidence:
    """Return evidence from rows of :func:`result_rows`, on either simulated or real data.

    A run counts if its data are or simulate a benchmark, and if this run, or the same run with
    another seed, chose its parameters on folds. If several data sets have the same name, only the
    one with the latest run counts; if a run was repeated, only the latest counts. Metrics are
    averaged over seeds.
    """
    body: Body = "simulated" if simulated else "real"
    if rows.empty:
        return ClaimEvidence(body, pd.DataFrame(columns=list(COLUMNS)))
    rows = rows[(rows["simulated"] == simulated) & rows["benchmark"].notna()]
    rows = rows.sort_values("created")
    last = rows.groupby("dataset")["digest"].transform("last")
    rows = rows[rows["digest"] == last]
    records: list[dict[str, Any]] = [dict(row) for _, row in rows.iterrows()]
    rows = rows.assign(method=[_variant(row) for row in records])
    rows = rows[_chosen(rows)]
    same = ["dataset", "split", "method", "select_for", "seed"]
    if "zsl_std" in rows:
        over = rows.groupby(same, sort=False, dropna=False)[["zsl_std", "seeds"]]
        rows[["zsl_std", "seeds"]] = over.transform("max")
    rows = rows.drop_duplicates(same, keep="last")
    weights = [float(json.loads(text).get("lam", np.nan)) for text in rows["params"]]
    return ClaimEvidence(body, _metrics(rows.assign(lam=weights)))


#: Author of our own entries on the board.
OURS = "Zero-shot lab"


def _metrics(rows: pd.DataFrame) -> pd.DataFrame:
    """Return rows of runs with the columns of evidence, averaged over seeds."""
    same = ["dataset", "benchmark", "pretraining", "split", "method", "select_for"]
    parts = []
    for metric, column in COLUMN_OF_METRIC.items():
        if column not in rows:
            continue
        values = rows.assign(value=rows[column].astype(float)).dropna(subset=["value"])
        seeds = values.groupby(same, sort=False, dropna=False)
        part = seeds["value"].agg(value="mean", spread="std", seeds="count").reset_index()
        if metric == "zsl" and "zsl_std" in values:
            stated = seeds[["zsl_std", "seeds"]].max().reset_index()
            without_spread = part["spread"].isna() & stated["zsl_std"].notna()
            part["spread"] = part["spread"].where(~without_spread, stated["zsl_std"])
            part.loc[without_spread, "seeds"] = stated.loc[without_spread, "seeds"].astype(float)
        parts.append(part.assign(metric=metric, table="runs"))
    metrics = pd.concat(parts, ignore_index=True) if parts else pd.DataFrame()
    named = metrics.rename(columns={"dataset": "data", "select_for": "chosen_for"})
    return named.reindex(columns=list(COLUMNS))


def _variant(row: Mapping[str, Any]) -> str:
    """Return a method's name with its given non-default parameters, such as ``SAE (V2S)``."""
    method = METHODS.get(row["method"])
    if method is None:
        return str(row["method"])
    defaults, params = method().get_params(), json.loads(row["params"])
    parts = [
        str(params[name])
        for name, default in defaults.items()
        if name not in method.param_grid
        and name not in ("random_state", "device", "batch_size", "tol")
        and params.get(name, default) != default
    ]
    parts += [f"{kind} {row[kind]}" for kind in ("features", "prototypes") if row[kind] != "l2"]
    return f"{row['method']} ({', '.join(parts)})" if parts else str(row["method"])


def _as_in(paper: str, name: str, metric: str) -> str | None:
    """Return a paper's name for a variant of a method; None if the paper ran another variant."""
    method, _, suffix = name.partition(" (")
    tags = [t for t in suffix.removesuffix(")").split(", ") if t not in ("", "features none")]
    if paper not in VARIANTS:
        return f"{method} ({', '.join(tags)})" if tags else method
    ran = [VARIANTS[paper][method]] if method in VARIANTS[paper] else []
    same = method in SEEN_VARIANTS and metric.startswith(("zsl", "gain")) and not tags
    return method if method in (*BENCHMARK_METHODS, "CMT*") and (same or tags == ran) else None


def _chosen(rows: pd.DataFrame) -> pd.Series:
    """Return the mask of runs with parameters that they, or another seed, chose on folds."""
    is_validated = rows["params_origin"] == "validated"
    of_seed = rows["params"].map(_without_seed)
    cases = pd.MultiIndex.from_frame(
        rows[["dataset", "split", "method", "select_for"]].assign(params=of_seed)
    )
    return is_validated | pd.Series(cases.isin(cases[is_validated]), rows.index)


def _without_seed(params: str) -> str:
    values = json.loads(params)
    return json.dumps({name: values[name] for name in sorted(values) if name != "random_state"})


def _benchmark(result: RunResult) -> str | None:
    """Return the benchmark with a run's unseen classes; by name if two benchmarks have them."""
    if result.simulated:
        return benchmark_in_name(result.spec.dataset) or None
    split = result.spec.split
    names = {class_key(result.class_names[c]) for c in result.evaluation.per_class_zsl}
    candidates = [name for name in fact_sources() if names == _unseen_classes(name, split)]
    return (
        candidates[0]
        if len(candidates) == 1
        else benchmark_in_name(result.spec.dataset, candidates) or None
    )


@cache
def _unseen_classes(benchmark: str, split: str) -> frozenset[str]:
    """Return the keys of a released split's test classes; empty for other splits."""
    return frozenset(map(class_key, unseen_classes(benchmark, split)))


@cache
def _classes_in_imagenet(benchmark: str) -> dict[str, bool]:
    """Return whether each class is in ImageNet-1K, by class key."""
    t = class_facts(benchmark).classes
    is_in_set = t["imagenet1k"] != ""
    return dict(zip(map(class_key, t["class"]), is_in_set, strict=True))


def _gain(result: RunResult, benchmark: str | None) -> float:
    """Return the overlap gain of the test classes on SS; NaN for other splits."""
    if benchmark is None or result.spec.split != "SS":
        return float("nan")
    in_imagenet, names = _classes_in_imagenet(benchmark), result.class_names
    sides: dict[bool | None, list[float]] = {True: [], False: [], None: []}
    for c, value in result.evaluation.per_class_zsl.items():
        sides[in_imagenet.get(class_key(names[c]))].append(value)
    if sides[None] or not (sides[True] and sides[False]):
        return float("nan")
    return float(gain_of(np.mean(sides[True]), np.mean(sides[False])))
