"""Test claims of the papers on their printed tables and on runs on real features.

The tests use the precomputed runs of the package and your runs. If only some data sets or methods
of a claim have runs, the verdict is "holds here" or "fails here", followed by the names of these
data sets or methods; simulated data give no verdict. --lint checks the printed tables for
contradictions, --findings lists the errors found in data and tables. Example::

    zslcore claims --id gbu-best-h
"""

from __future__ import annotations

import argparse
from dataclasses import asdict

from zslcore.commands.command import OptionGroup, Output, command, option
from zslcore.commands.options import JSON
from zslcore.exceptions import ParameterError


@command(
    option("--id ID...", "only these claims (all)", default=()),
    OptionGroup(
        "",
        (
            option("--lint", "check the printed tables instead"),
            option("--findings", "list the errors found in data and tables instead"),
        ),
    ),
    JSON,
)
def run(args: argparse.Namespace) -> Output:
    """Test claims, or list findings."""
    from zslcore.analysis.papers import claims
    from zslcore.results.store import ResultStore

    if args.id and (args.lint or args.findings):
        raise ParameterError("--id: expected neither --lint nor --findings; got one of them.")
    if args.lint:
        rules = claims.read_lint()
        return Output("\n".join(map(str, rules)), [asdict(rule) for rule in rules])
    if args.findings:
        return Output(claims.markdown_list(), [asdict(finding) for finding in claims.FINDINGS])
    claims.get_claims(args.id)  # refuse misspelt ids before reading files
    judgments = claims.judge_all(ResultStore().results(), args.id)
    return Output(claims.as_text(judgments), claims.as_records(judgments))
