"""``zslcore claims``: whether statements of the papers hold.

Each is judged on the printed tables and on runs on real features: those that come with the package,
and your own. Runs on some of the data sets or methods that a claim speaks of hold or fail "here",
with their scope. What simulated data give has no verdict.
``--lint`` checks the printed tables against themselves, their text and the released files;
``--findings`` lists what was found in data and tables.
"""

from __future__ import annotations

import argparse
from dataclasses import asdict

from zslcore.commands.options import as_json
from zslcore.exceptions import ParameterError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    option = parser.add_argument
    option("--id", nargs="+", default=(), metavar="ID", help="which claims (all)")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--lint", action="store_true", help="check the printed tables instead")
    what.add_argument("--findings", action="store_true", help="list what was found instead")
    option("--json", action="store_true", help="print everything as JSON instead of text")


def run(args: argparse.Namespace) -> str:
    """Judge claims, or list what was found."""
    from zslcore.analysis.papers import claims, lint
    from zslcore.results.store import ResultStore

    if args.id and (args.lint or args.findings):
        raise ParameterError("--id names claims; it means nothing with --lint or --findings.")
    if args.lint:
        linted = lint.lint_printed()
        records, text = [asdict(each) for each in linted], lint.as_text(linted)
    elif args.findings:
        records = [asdict(finding) for finding in claims.FINDINGS]
        text = claims.markdown_list()
    else:
        claims.get_claims(args.id)  # a misspelt one is refused before anything is read
        judged = claims.judge_all(ResultStore().results(), args.id)
        records, text = claims.as_records(judged), claims.as_text(judged)
    return as_json(records) if args.json else text
