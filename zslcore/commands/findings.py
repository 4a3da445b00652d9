"""Print every finding of a split, folder or data set, for `zslcore check`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from zslcore.commands.command import option
from zslcore.commands.options import STATED_CHOICES, file_to_write, stated_choices
from zslcore.datasets import ZSLDataset, available, load
from zslcore.datasets.simulated import UNPLANTED
from zslcore.datasets.simulated_actions import SIMULATED_ACTIONS
from zslcore.exceptions import FileRefusedError, ParameterError, ZSLError, closest_name
from zslcore.leakage.checks import CHECKS
from zslcore.leakage.context import Decisions, DeclaredProvenance, Thresholds
from zslcore.leakage.correction import POLICIES
from zslcore.leakage.engine import audit, corrected_split
from zslcore.leakage.loading import Subject, chosen_split
from zslcore.leakage.render import FORMATS, render, to_junit
from zslcore.leakage.report import FAIL_ON, MARKS, FailOn, Mark
from zslcore.leakage.vocabularies import PRETRAINING_NAMES
from zslcore.storage.files import folder_of, path_of, write_out
from zslcore.texts import clean_text
from zslcore.untrusted.client import read_value

if TYPE_CHECKING:
    from zslcore.evaluation.runs import RunResult

MAX_DECISIONS = 1 << 20
#: Thresholds of checks -> help texts of their options.
THRESHOLDS = {
    "near": "ZSL005: a near-duplicate is nearer than this share of the median nearest distance",
    "alone": "ZSL005: it is also nearer than this share of the distance to its tenth nearest row",
    "share": "ZSL004, ZSL005, ZSL012: up to this share of test images, a warning instead of a leak",
    "images": "ZSL011: smallest number of images per test class without a warning",
}


def _fail_on(word: str) -> FailOn:
    """Return the lowest mark that fails; the words of earlier versions are accepted."""
    word = {"fail": "leak", "warn": "warning", "unknown": "open"}.get(word, word)
    if word not in FAIL_ON:
        raise argparse.ArgumentTypeError(f"expected leak, warning or open; got {word!r}")
    return word


#: Options that print every finding; without defaults, so that their use can be detected.
OPTIONS = (
    option("--split NAME", "split of a data set (PS), or one of several in a file"),
    option("--labels FILE", "labels, if they are not next to the split"),
    option("--features FILE", "features, for ZSL004 and ZSL005; may contain the labels"),
    option(
        "--groups FILE",
        "photograph of each row, for ZSL012: one name per line, or a .csv, .mat, .npz or .h5 "
        "(default: the image file names of the split)",
    ),
    option(
        "--group-pattern REGEX",
        "regular expression; its first group is the photograph in a file name: '(.*)_aug[0-9]+'",
    ),
    option(
        "--pretraining NAME",
        f"training set of the extractor: {', '.join(PRETRAINING_NAMES)}, or a text file; may "
        "be repeated (default: as the data set states)",
        action="append",
    ),
    option("--decisions FILE", "TOML: [vocabulary] with 'class' = 'confirmed' or 'rejected'"),
    *STATED_CHOICES,
    option("--runs", "for a data set: measure ZSL007 and the gains of oracles on stored runs"),
    option(
        "--against SPLIT",
        "list rows and classes that moved; SPLIT is another split of the data, a file or a name",
    ),
    *(
        option(
            f"--{field.name} NUMBER",
            f"{THRESHOLDS[field.name]} ({field.default})",
            type=type(field.default),
        )
        for field in fields(Thresholds)
    ),
    option(
        "--fail-on MARK",
        "lowest mark that gives exit status 1: leak, warning or open (leak)",
        type=_fail_on,
    ),
    option(
        "--severity ID=MARK",
        "give the findings of a check this mark, such as ZSL009=leak; may be repeated",
        action="append",
    ),
    option("--allow-incomplete ID", "accept open findings of these checks, or of all", nargs="*"),
    option("--format FORMAT", f"{', '.join(FORMATS)} (text)", choices=tuple(FORMATS)),
    option("--output FILE", "write the report to this file", type=file_to_write),
    option("--junit FILE", "also write a JUnit report", type=file_to_write),
    option("--correct FILE", "write a corrected split, .mat or .json", type=file_to_write),
    option(
        "--policy POLICY",
        "with --correct: keep leaking rows in the test set, or in no part: "
        f"{', '.join(map(repr, POLICIES))} ({POLICIES[0]!r})",
        choices=POLICIES,
    ),
)


def run_audit(args: argparse.Namespace) -> int:
    """Audit, report, correct; return the exit status."""
    fail_on: FailOn = args.fail_on or "leak"
    try:
        accepted = _allowed_open(args)
        subject = _subject(args.path)
        report = audit(
            subject,
            **_shared_options(args),
            pretraining=args.pretraining,
            decisions=read_decisions(args.decisions) if args.decisions else None,
            provenance=DeclaredProvenance(**stated_choices(args)),
            runs=_stored_runs(subject, args) if args.runs else (),
            against=_compared_split(subject, args.against),
        )
        report = report.with_marks(_severity(args.severity or ())).accept(accepted)
        is_junit = args.format == "junit"
        _write(args.output, to_junit(report, fail_on) if is_junit else render(report, args.format))
        if args.junit:
            write_out(args.junit, to_junit(report, fail_on))
        if args.correct:
            _correct(subject, args)
    except (ZSLError, OSError) as error:
        sys.stderr.write(f"zslcore: {error}\n")
        return 2
    except Exception as error:  # noqa: BLE001 - status 1 would report a leak
        sys.stderr.write(f"zslcore: The audit could not run ({type(error).__name__}: {error}).\n")
        return 2
    if report.fails(fail_on):
        return 1
    return report.status


def _severity(words: Sequence[str]) -> dict[str, Mark]:
    """Read every ``ID=MARK``."""
    marks: dict[str, Mark] = {mark: mark for mark in MARKS}
    severity = {}
    for word in words:
        check, _, mark = word.partition("=")
        if mark not in marks:
            raise ParameterError(
                f"--severity: expected ID=MARK with the mark {', '.join(MARKS)}; got {word!r}."
            )
        severity[check] = marks[mark]
    return severity


def _shared_options(args: argparse.Namespace) -> dict[str, Any]:
    """Return the options shared by the audit and the corrected split."""
    numbers = {field.name: getattr(args, field.name) for field in fields(Thresholds)}
    numbers = {name: value for name, value in numbers.items() if value is not None}
    options = {name: getattr(args, name) for name in ("split", "group_pattern")}
    for name in ("labels", "features", "groups"):
        path = getattr(args, name)
        options[name] = None if path is None else str(path_of(path, folder_of(args.path)))
    return options | {"thresholds": Thresholds(**numbers)}


def _allowed_open(args: argparse.Namespace) -> frozenset[str]:
    """Return the checks that may stay open: the named checks, or all checks."""
    ids = [check.id for check in CHECKS]
    if args.allow_incomplete is None:
        return frozenset()
    for id_ in args.allow_incomplete:
        if id_ not in ids:
            raise closest_name("check", id_, ids)
    return frozenset(args.allow_incomplete or ids)


def _subject(path: str) -> Subject:
    """Return a path that exists, else the data set of this name."""
    is_name = path in (*available(), *UNPLANTED, *SIMULATED_ACTIONS)
    return load(path) if is_name and not Path(path).exists() else path


def _compared_split(subject: Subject, against: str | None) -> Subject | None:
    """Return the split to compare with: a named split of the same data set, or any subject."""
    if against is None or not isinstance(subject, ZSLDataset) or Path(against).exists():
        return None if against is None else _subject(against)
    return subject.split(against)


def _stored_runs(subject: Subject, args: argparse.Namespace) -> list[RunResult]:
    """Return the stored runs on a split of a data set."""
    if not isinstance(subject, ZSLDataset):
        raise ParameterError(
            f"--runs: expected the name of a data set; got {clean_text(args.path)!r}."
        )
    from zslcore.results.store import ResultStore  # imports the methods

    store = ResultStore()
    if unreadable := store.unreadable():
        sys.stderr.write(f"{unreadable}\n")
    return store.runs_on(subject, args.split or chosen_split(subject).name)


def _write(output: Path | None, text: str) -> None:
    if output:
        write_out(output, text)
    else:
        sys.stdout.write(text)


def _correct(subject: Subject, args: argparse.Namespace) -> None:
    path = Path(args.correct)
    if path.suffix not in (".mat", ".json"):
        raise ParameterError(
            f"--correct: expected a name that ends in .mat or .json; got {path.name!r}."
        )
    split = corrected_split(subject, policy=args.policy or POLICIES[0], **_shared_options(args))
    if path.suffix == ".mat":
        split.save_mat(path)
    else:
        write_out(path, split.to_json())
    counts = split.table().itertuples(index=False)
    removed = [f"{n:,} of {n + rest:,} from {part}" for part, rest, n in counts if n]
    sys.stderr.write(f"{path} written; rows removed: {', '.join(removed) or 'none'}.\n")


def read_decisions(path: str | Path) -> Decisions:
    """Read a person's decisions on overlaps.

    The file has one table per vocabulary::

        [imagenet-1k]
        seal = "rejected"
        "giant panda" = "confirmed"

    Raises FileRefusedError for a file that is missing, too large, not TOML, or without such tables.
    """
    path, name = Path(path), clean_text(Path(path).name)
    tables: dict[str, Any] = read_value(path, "TOML", max_bytes=MAX_DECISIONS)
    for vocabulary, table in tables.items():
        if not isinstance(table, dict):
            raise FileRefusedError(f"{name}: expected a table [{clean_text(vocabulary)}].")
        for class_name, decision in table.items():
            if decision not in ("confirmed", "rejected"):
                raise FileRefusedError(
                    f"{name}: {clean_text(class_name)!r} must be 'confirmed' or 'rejected'; "
                    f"got {clean_text(str(decision))!r}."
                )
    return tables
