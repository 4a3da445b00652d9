"""Check a method against the contract of the package, on a small simulated data set.

Prints each broken law with the expected and the actual behaviour. Exit status: 0 when all laws
hold, 1 when one is broken. Example::

    zslcore check-method my_method.py:MyMethod --all
"""

from __future__ import annotations

import argparse

from zslcore.commands.command import command, option
from zslcore.commands.options import METHOD, PARAM, show_steps


@command(option("method METHOD", METHOD), PARAM, option("--all", "also print the laws that hold"))
def run(args: argparse.Namespace) -> int:
    """Check every law; return 1 if one is broken."""
    from zslcore.commands.run import read_params
    from zslcore.evaluation import plugins
    from zslcore.evaluation.contract import CONTRACT, ContractVerdict, check_contract
    from zslcore.methods import get_method

    name = plugins.register(args.method)
    results: list[ContractVerdict] = []
    for verdict in check_contract(get_method(name), read_params(name, args.param)):
        show_steps(len(results), len(CONTRACT), verdict.law.sentence)
        results.append(verdict)
    show_steps()
    for verdict in results:
        if args.all or verdict.state != "hold":
            why = "" if verdict.state == "hold" else f"\n        {verdict.why}"
            print(f"{verdict.state:7} {verdict.law.sentence}{why}")
    states = [verdict.state for verdict in results]
    counts = ", ".join(f"{states.count(state)} {state}" for state in ("hold", "waived", "broken"))
    print(f"{name}: of {len(CONTRACT)} laws, {counts}")
    return int("broken" in states)
