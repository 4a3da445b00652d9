"""``zslcore protocols``: how released codes choose epoch, seed, parameters, gamma, split.

Without a name it prints a row a code, and counts. With one it prints each choice with the lines of
the code that show it. The table states what a code does at the commit read, not what its paper
does.
"""

from __future__ import annotations

import argparse

from zslcore.commands.options import as_json


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    option = parser.add_argument
    option("name", nargs="?", metavar="NAME", help="a code, as TF-VAEGAN (all)")
    option("--json", action="store_true", help="print everything as JSON instead of text")


def run(args: argparse.Namespace) -> str:
    """Return a row a code with counts, or each choice of one code with its lines."""
    from zslcore.leakage import released_codes

    rows = released_codes.choices_of(args.name) if args.name else released_codes.observed()
    if args.json:
        return as_json([row.record for row in rows])
    if args.name:
        lines = [f"{args.name}, {rows[0].paper}: https://github.com/{rows[0].repository}\n"]
        for row in rows:
            lines += [f"{row.choice}: {row.meaning}.", f"    {row.says}"]
            lines.append(f"    {row.url}  (read {row.read})")
            lines += [f"    Authors: {row.answer}"] if row.answer else []
        return "\n".join(lines)
    table = released_codes.with_links()
    wide = table.pivot_table("how", "code", "choice", aggfunc="first", sort=False)
    lines = [f"{wide.rename_axis(None).to_string()} \n", released_codes.headline()]
    for choice, meanings in released_codes.HOW.items():
        counts = released_codes.counted(choice)
        words = "; ".join(f"{meanings[how]} {n}" for how, n in counts.items())
        lines.append(f"{choice}, n = {sum(counts.values())}: {words}.")
    return "\n".join(lines)
