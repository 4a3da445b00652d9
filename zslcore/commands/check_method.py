"""``zslcore check-method``: the laws of the contract on one method, in sentences.

Fit a method in a small simulated world and check every law of the contract. Prints what is broken,
expected and got; ends with 1 if any law is.
"""

from __future__ import annotations

import argparse

from zslcore.commands.options import METHOD, show_steps


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    option = parser.add_argument
    option("method", metavar="METHOD", help=METHOD)
    option("--param", metavar="NAME=VALUE", action="append", default=[], help="give a parameter")
    option("--all", action="store_true", help="also print the laws that hold")


def run(args: argparse.Namespace) -> int:
    """Check every law; return 1 if one is broken."""
    from zslcore.commands.run import read_params
    from zslcore.evaluation import plugins
    from zslcore.evaluation.contract import CONTRACT, ContractVerdict, check_contract
    from zslcore.methods import get_method

    name = plugins.register(args.method)
    found: list[ContractVerdict] = []
    for verdict in check_contract(get_method(name), read_params(name, args.param)):
        show_steps(len(found), len(CONTRACT), verdict.law.sentence)
        found.append(verdict)
    show_steps()
    for verdict in found:
        if args.all or verdict.state != "hold":
            why = "" if verdict.state == "hold" else f"\n        {verdict.why}"
            print(f"{verdict.state:7} {verdict.law.sentence}{why}")
    states = [verdict.state for verdict in found]
    counts = ", ".join(f"{states.count(state)} {state}" for state in ("hold", "waived", "broken"))
    print(f"{name}: of {len(CONTRACT)} laws {counts}")
    return int("broken" in states)
