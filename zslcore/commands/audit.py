"""``zslcore audit PATH``: guard the splits of a repository.

Exit status: 0 clean, 1 leaks or something that ``--fail-on`` names, 2 broken, or a refusal with one
sentence on the error output, 3 unknown, where a check could not look, for want of labels, features
or the like: give them, or accept that with ``--allow-incomplete``.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from zslcore.commands.options import add_choices, file_to_write, stated_choices
from zslcore.datasets import ZSLDataset, available, load
from zslcore.datasets.simulated import UNPLANTED
from zslcore.datasets.simulated_actions import SIMULATED_ACTIONS
from zslcore.evaluation.runs import RunResult
from zslcore.exceptions import FileRefusedError, ParameterError, ZSLError, closest_name
from zslcore.leakage.checks import CHECKS
from zslcore.leakage.context import Decisions, Provenance, Thresholds
from zslcore.leakage.correction import POLICIES
from zslcore.leakage.engine import audit, corrected_split
from zslcore.leakage.loading import Subject, chosen_split
from zslcore.leakage.render import FORMATS, render, to_junit
from zslcore.leakage.report import FAIL_ON, MARKS, FailOn, Mark, Report
from zslcore.leakage.vocabularies import PRETRAINING_NAMES
from zslcore.results.store import ResultStore
from zslcore.storage.files import folder_of, path_of, write_out
from zslcore.texts import clean_text
from zslcore.untrusted.client import read_value

MAX_DECISIONS = 1 << 20
#: What can be audited.
SUBJECTS = (
    "split file (.mat, .npz, .h5, .json, also split_zhou_*.json), folder (xlsa17 layout, lists of "
    "images or classes, train and test folders of images), or name of a data set"
)
#: Thresholds of checks, with their help texts on the command line.
THRESHOLDS = {
    "near": "ZSL005: share of the usual distance to the nearest training row",
    "alone": "ZSL005: share of the distance to the tenth nearest training row",
    "share": "ZSL004, ZSL005, ZSL012: share of test images up to which they are a warning",
    "images": "ZSL011: fewest images of a test class",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("path", nargs="?", help=SUBJECTS)
    add_options(parser)


def run(args: argparse.Namespace) -> int:
    """Audit under the former name."""
    say_former_name("audit")
    return run_audit(args)


def say_former_name(name: str) -> None:
    """Say to a person at a terminal that a command has another name now; scripts read on."""
    if sys.stderr.isatty():
        sys.stderr.write(
            f"zslcore {name} is now zslcore check; the next release drops this name.\n"
        )


def add_options(parser: argparse._ActionsContainer) -> None:
    """Add what an audit may be told."""
    add = parser.add_argument
    add("--split", help="split of a data set; PS by default")
    add("--labels", help="file with the labels, if they are not next to the split")
    add("--features", help="file with the features, for ZSL004 and ZSL005; may hold labels")
    text = "groups of rows from one photograph, for ZSL012: one name per line, or a CSV, .mat, "
    text += ".npz or .h5; by default the names of the image files, where a file has them"
    add("--groups", metavar="FILE", help=text)
    text = "regex whose first group is the photo id in a name: '(.*)_aug[0-9]+'"
    add("--group-pattern", metavar="REGEX", help=text)
    text = "or a text file; may be repeated; by default what a data set declares"
    text = f"{', '.join(PRETRAINING_NAMES)} {text}"
    add("--pretraining", action="append", metavar="NAME", help=text)
    add("--decisions", help="TOML file: [vocabulary] with 'class' = 'confirmed' or 'rejected'")
    add_choices(parser)
    text = "for a data set: measure ZSL007 and the oracle gap on stored runs"
    add("--runs", action="store_true", help=text)
    text = "another split of the same data, a file or a name: list the rows and classes that moved"
    add("--against", metavar="SPLIT", help=text)
    for field in fields(Thresholds):
        usual, text = field.default, f"{THRESHOLDS[field.name]}, {field.default} by default"
        add(f"--{field.name}", type=type(usual), default=usual, metavar="NUMBER", help=text)
    text = "what ends with status 1: a leak (default), also a warning, or also an open finding"
    add("--fail-on", type=_fail_on, metavar="{leak,warning,open}", default="leak", help=text)
    text = "mark of all that a check finds: ZSL011=ok, ZSL009=leak; may be repeated"
    add("--severity", action="append", default=[], metavar="ID=MARK", help=text)
    text = "accept open findings of these checks, or of all"
    add("--allow-incomplete", nargs="*", metavar="ID", help=text)
    add("--format", choices=tuple(FORMATS), default="text")
    text = "file to write the report to, instead of the terminal"
    add("--output", type=file_to_write, metavar="FILE", help=text)
    add("--junit", type=file_to_write, metavar="FILE", help="write a JUnit report, too")
    add(
        "--correct",
        type=file_to_write,
        metavar="FILE",
        help="write a corrected split, .mat or .json",
    )
    add("--policy", choices=POLICIES, default="test first", help="for --correct")


def run_audit(args: argparse.Namespace) -> int:
    """Audit, report, correct; return the exit status."""
    try:
        _give_back_path(args)
        accepted = _accepted(args)
        subject = _subject(args.path)
        report = (
            audit(
                subject,
                **_where(args),
                pretraining=args.pretraining,
                decisions=read_decisions(args.decisions) if args.decisions else None,
                provenance=Provenance(**stated_choices(args)),
                runs=_stored_runs(subject, args) if args.runs else (),
                against=_other(subject, args.against),
            )
            .under(severity=_severity(args.severity))
            .accepting(accepted)
        )
        _say(args, _text(report, args))
        if args.junit:
            write_out(args.junit, to_junit(report, args.fail_on))
        if args.correct:
            _correct(subject, args)
    except (ZSLError, OSError) as error:
        sys.stderr.write(f"zslcore: {error}\n")
        return 2
    except Exception as error:  # noqa: BLE001 - status 1 would report a leak
        sys.stderr.write(f"zslcore: The audit could not run ({type(error).__name__}: {error}).\n")
        return 2
    if report.fails(args.fail_on):
        return 1
    return report.status


def _fail_on(word: str) -> FailOn:
    """Return what ends a guarded build; words of former versions are taken, too."""
    word = {"fail": "leak", "warn": "warning", "unknown": "open"}.get(word, word)
    if word not in FAIL_ON:
        raise argparse.ArgumentTypeError(f"expected leak, warning or open; got {word!r}")
    return word


def _severity(words: Sequence[str]) -> dict[str, Mark]:
    """Return check -> mark of what it finds, of words as ``ZSL011=warning``."""
    marks: dict[str, Mark] = {mark: mark for mark in MARKS}
    found = {}
    for word in words:
        check, _, mark = word.partition("=")
        if mark not in marks:
            raise ParameterError(f"--severity: expected ID=MARK, {', '.join(MARKS)}; got {word!r}.")
        found[check] = marks[mark]
    return found


def _give_back_path(args: argparse.Namespace) -> None:
    """Restore the path that follows ``--allow-incomplete``, which takes all further words."""
    listed = args.allow_incomplete or []
    if args.path is None and listed and not listed[-1].upper().startswith("ZSL"):
        args.path = listed.pop()
    if args.path is None:
        raise ParameterError("check: expected a split file, a folder or the name of a data set.")


def _where(args: argparse.Namespace) -> dict[str, Any]:
    """Return the options shared by the audit and the corrected split."""
    numbers = {field.name: getattr(args, field.name) for field in fields(Thresholds)}
    options = {what: getattr(args, what) for what in ("split", "group_pattern")}
    for what in ("labels", "features", "groups"):
        name = getattr(args, what)
        options[what] = None if name is None else str(path_of(name, folder_of(args.path)))
    return options | {"thresholds": Thresholds(**numbers)}


def _accepted(args: argparse.Namespace) -> frozenset[str]:
    """Return the checks whose open findings are accepted: those that are named, or all."""
    ids = [check.id for check in CHECKS]
    if args.allow_incomplete is None:
        return frozenset()
    for id_ in args.allow_incomplete:
        if id_ not in ids:
            raise closest_name("check", id_, ids)
    return frozenset(args.allow_incomplete or ids)


def _subject(path: str) -> Subject:
    """Return a path as it is, and the data set when there is no such path but such a name."""
    is_name = path in (*available(), *UNPLANTED, *SIMULATED_ACTIONS)
    return load(path) if is_name and not Path(path).exists() else path


def _other(subject: Subject, against: str | None) -> Subject | None:
    """Return what to compare with: a split of the same data set by its name, or any subject."""
    if against is None or not isinstance(subject, ZSLDataset) or Path(against).exists():
        return None if against is None else _subject(against)
    return subject.split(against)


def _stored_runs(subject: Subject, args: argparse.Namespace) -> list[RunResult]:
    """Return the stored runs on a split of a data set."""
    if not isinstance(subject, ZSLDataset):
        raise ParameterError(f"--runs needs the name of a data set; got {clean_text(args.path)!r}.")
    store = ResultStore()
    if unreadable := store.unreadable():
        sys.stderr.write(f"{unreadable}\n")
    return store.runs_on(subject, args.split or chosen_split(subject).name)


def _text(report: Report, args: argparse.Namespace) -> str:
    if args.format == "junit":
        return to_junit(report, args.fail_on)
    return render(report, args.format)


def _say(args: argparse.Namespace, text: str) -> None:
    if args.output:
        write_out(args.output, text)
    else:
        sys.stdout.write(text)


def _correct(subject: Subject, args: argparse.Namespace) -> None:
    path = Path(args.correct)
    if path.suffix not in (".mat", ".json"):
        raise ParameterError(f"--correct writes .mat or .json; got {path.name!r}.")
    split = corrected_split(subject, policy=args.policy, **_where(args))
    if path.suffix == ".mat":
        split.save_mat(path)
    else:
        write_out(path, split.to_json())


def read_decisions(path: str | Path) -> Decisions:
    """Read a person's decisions on overlaps.

    The file has one table per vocabulary::

        [imagenet-1k]
        seal = "rejected"
        "giant panda" = "confirmed"

    Raises FileRefusedError when it is missing, too large, not TOML, or has any other content.
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
