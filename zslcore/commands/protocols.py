"""``python -m zslcore protocols``: how released codes choose epoch, seed, parameters, gamma, split.

Without a name it prints a row a code, and counts. With one it prints each choice with the lines of
the code that show it. The table states what a code does at the commit read, not what its paper
does.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    option = parser.add_argument
    option("name", nargs="?", metavar="NAME", help="a code, as TF-VAEGAN (all)")
    option("--json", action="store_true", help="print everything as JSON instead of text")


def run(args: argparse.Namespace) -> None:
    """Print the census or one code."""
    from zslcore.analysis.papers import protocols

    rows = protocols.choices_of(args.name) if args.name else protocols.observed()
    if args.json:
        records = [asdict(row) | {"meaning": row.meaning, "url": row.url} for row in rows]
        print(json.dumps(records, ensure_ascii=False, indent=2))
    elif args.name:
        _print_code(args.name)
    else:
        _print_all()


def _print_code(name: str) -> None:
    """Print each choice of a code with its lines."""
    from zslcore.analysis.papers import protocols

    rows = protocols.choices_of(name)
    print(f"{name}, {rows[0].paper}: https://github.com/{rows[0].repository}\n")
    for row in rows:
        print(f"{row.choice}: {row.meaning}.\n    {row.says}\n    {row.url}  (read {row.read})")
        if row.answer:
            print(f"    Authors: {row.answer}")


def _print_all() -> None:
    """Print a row a code, and how many codes choose in which way."""
    from zslcore.analysis.papers import protocols

    table = protocols.with_links()
    wide = table.pivot_table("how", "code", "choice", aggfunc="first", sort=False)
    print(wide.rename_axis(None).to_string(), "\n")
    print(protocols.headline())
    for choice, meanings in protocols.HOW.items():
        counts = protocols.counted(choice)
        words = "; ".join(f"{meanings[how]} {n}" for how, n in counts.items())
        print(f"{choice}, n = {sum(counts.values())}: {words}.")
