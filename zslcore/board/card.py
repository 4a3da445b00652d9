"""Card (verdict and findings) of a result in JSON: an entry of the board, or one run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from zslcore.board.checking import CheckedEntry, checked_entry
from zslcore.board.entry import MAX_BYTES, SCHEMA, BoardEntry, read_entry
from zslcore.board.making import entry_of_run
from zslcore.board.table import HEADINGS
from zslcore.datasets import ZSLDataset, load
from zslcore.datasets.imports import pretraining_of
from zslcore.evaluation.registry import on_board
from zslcore.evaluation.runs import RunResult
from zslcore.evaluation.verification import State
from zslcore.exceptions import FileRefusedError, ZSLError
from zslcore.leakage.contamination import metric_of_trained_classes
from zslcore.leakage.published import known_splits
from zslcore.leakage.report import (
    TRAINED_ON,
    UNKNOWN,
    Bar,
    Finding,
    Picture,
    Report,
    ReportMetric,
    worst_first,
)
from zslcore.numbers import percent
from zslcore.results.run_files import read_runs
from zslcore.untrusted.client import open_file

#: Title of the finding on the stated metrics.
STATED_METRICS = "Stated metrics"


def card_of_result(
    path: Path,
    files: Sequence[tuple[str, str]],
    pretraining: tuple[str, ...] = (),
    load: Callable[[str], ZSLDataset] = load,
) -> Report:
    """Return the card of a JSON file of the board or of one run.

    ``pretraining`` names the pre-training sets of the extractor, by default the sets that the file
    declares. ``load`` opens a data set by its name; if it raises a ZSLError, the card is made
    without the data. Raises a FileRefusedError for any other file.
    """
    with open_file(path) as file:
        content = file.read(MAX_BYTES + 1)
    if SCHEMA.encode() in content:
        entry = read_entry(content, path.name)
        if pretraining:
            entry = replace(entry, data=replace(entry.data, pretraining=pretraining))
        return card_of_entry(checked_entry(entry, files[0][0]), files)
    runs = read_runs(path)
    if len(runs) > 1:
        raise FileRefusedError(
            f"{files[0][0]}: expected one result at a time; got {len(runs):,} results."
        )
    return card_of_run(runs[0], files, pretraining, load)


def card_of_run(
    result: RunResult,
    files: Sequence[tuple[str, str]],
    pretraining: tuple[str, ...] = (),
    load: Callable[[str], ZSLDataset] = load,
) -> Report:
    """Return the card of a run; its split is identified by its rows if its data are available."""
    entry = entry_of_run(result, who="the file")
    with suppress(ZSLError):
        dataset = load(result.spec.dataset)
        entry = entry_of_run(result, dataset, who="the file", pretraining=pretraining_of(dataset))
    if pretraining:
        entry = replace(entry, data=replace(entry.data, pretraining=pretraining))
    return card_of_entry(checked_entry(entry, files[0][0]), files, kind="result of a run")


def card_of_entry(
    result: CheckedEntry, files: Sequence[tuple[str, str]], *, kind: str = "board entry"
) -> Report:
    """Return the card of a result; ``kind`` describes its file."""
    findings = _findings(result, result.rows, result.overlap)
    classes = metric_of_trained_classes(result.overlap, result.entry.data.pretraining)
    return Report(
        subject=result.file,
        split="",
        findings=findings,
        read_as=_read_as(result),
        kind=kind,
        files=tuple(files),
        reason=_stated(result) if findings[0].check == STATED_METRICS else findings[0].sentence,
        metrics=(_rows_metric(result), classes, _headline_metric(result.entry)),
        picture=_picture(result.entry),
    )


def _stated(result: CheckedEntry) -> str:
    entry, metric = result.entry, _headline_metric(result.entry)
    return (
        f"{entry.method} on {entry.data.name}, {entry.split.name} states {metric.label} "
        f"{metric.value}. According to the file, nothing leaks; verifying the metrics needs "
        "predictions."
    )


def _findings(result: CheckedEntry, *data_findings: Finding) -> tuple[Finding, ...]:
    """Return ``data_findings`` followed by the findings on gamma, parameters and metrics."""
    entry, findings, title = result.entry, list(data_findings), "Choice of gamma and parameters"
    origins = {"gamma": entry.gamma.origin, "parameters": entry.parameters.origin}
    unstated = [name for name, origin in origins.items() if origin in ("given", "not stated")]
    if entry.used_test_set:
        choice = "Gamma was" if entry.gamma.origin == "oracle" else "The parameters were"
        text = f"{choice} chosen on the test images: the metrics are an upper bound (oracle)."
        findings.insert(0, Finding(title, "leak", text, "Choose on validation images."))
    if unstated:
        text = f"The choice of {' and '.join(unstated)} is unknown."
        findings.append(Finding(title, "open", text, "Ask the author."))
    elif not entry.used_test_set:
        text = (
            "According to the author, gamma and parameters were chosen on validation images, or "
            "not chosen at all."
        )
        findings.append(Finding(title, "ok", text))
    if result.state is State.VERIFIED:
        findings.append(Finding(STATED_METRICS, "ok", "Recomputed from predictions."))
    else:
        text = "The metrics are stated, not verified: the file has no predictions."
        findings.append(Finding(STATED_METRICS, "open", text, "Add the predictions."))
    return worst_first(findings)


def _rows_metric(result: CheckedEntry) -> ReportMetric:
    """Return the number of test images that were trained on, for the card."""
    if result.rows.mark == "leak":
        benchmark = result.entry.data.benchmark
        counts = [s.counts for s in known_splits() if s.dataset == benchmark and s.superseded]
        return ReportMetric(
            TRAINED_ON, f"{counts[0]['test_seen']:,}" if counts else UNKNOWN, "PS v1"
        )
    number = "0" if result.rows.mark == "ok" else UNKNOWN
    return ReportMetric(TRAINED_ON, number, result.rows.sentence.rstrip("."))


def _headline_metric(entry: BoardEntry) -> ReportMetric:
    f = entry.figures
    if f.H_gamma is not None:
        h, how = f.H_gamma, f"gamma {entry.gamma.origin}"
    elif f.H is not None:
        h, how = f.H, "uncalibrated"
    else:
        value = UNKNOWN if f.zsl is None else percent(f.zsl)
        return ReportMetric("ZSL accuracy", value, "as stated")
    ausuc = UNKNOWN if f.ausuc is None else percent(f.ausuc)
    return ReportMetric("H", f"{percent(h)}, AUSUC {ausuc}", f"{how}, as stated")


def _picture(entry: BoardEntry) -> Picture | None:
    values = [(HEADINGS[name], getattr(entry.figures, name)) for name in on_board()]
    bars = tuple(Bar(label, 1.0, v, percent(v)) for label, v in values if v is not None)
    metrics = ", ".join(f"{bar.label} {bar.value}" for bar in bars)
    return Picture(f"Stated metrics: {metrics}.", bars) if bars else None


def _read_as(result: CheckedEntry) -> dict[str, str]:
    entry = result.entry
    values = {
        "method": entry.method,
        "data": f"{entry.data.name}, simulated" if entry.data.simulated else entry.data.name,
        "data, digest": entry.data.digest or "not stated",
        "split": entry.split.name,
        "gamma": entry.gamma.origin,
        "parameters": entry.parameters.origin,
        "extractor trained on": ", ".join(entry.data.pretraining) or "not stated",
    }
    return values | {f"{part} rows, digest": d for part, d in entry.split.parts.items()}
