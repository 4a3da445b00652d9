"""List how released code bases choose epoch, seed, parameters, gamma and split.

Without a name, prints one row per code base, and counts; with a name, every choice of this code
base with its lines of code. The table describes the code at one commit, not the paper. Example::

    zslcore protocols TF-VAEGAN
"""

from __future__ import annotations

import argparse

from zslcore.commands.command import Output, command, option
from zslcore.commands.options import JSON


@command(option("name [NAME]", "name of a code base, such as TF-VAEGAN (all)"), JSON)
def run(args: argparse.Namespace) -> Output:
    """Return one row per code base, with counts, or every choice of one code base."""
    from zslcore.leakage import released_codes

    rows = released_codes.choices_of(args.name) if args.name else released_codes.all_choices()
    records = [row.record for row in rows]
    if args.name:
        lines = [f"{args.name}, {rows[0].paper}: https://github.com/{rows[0].repository}\n"]
        for row in rows:
            lines += [f"{row.choice}: {row.meaning}.", f"    {row.says}"]
            lines.append(f"    {row.url}  (read {row.read})")
            lines += [f"    Authors: {row.answer}"] if row.answer else []
        return Output("\n".join(lines), records)
    table = released_codes.choices_table()
    wide = table.pivot_table("how", "code", "choice", aggfunc="first", sort=False)
    lines = [
        f"{wide.rename_axis(index=None, columns='code').to_string()} \n",
        released_codes.headline(),
    ]
    for choice, meanings in released_codes.HOW.items():
        counts = released_codes.count_codes(choice)
        words = "; ".join(f"{meanings[how]} {n}" for how, n in counts.items())
        lines.append(f"{choice}, n = {sum(counts.values())}: {words}.")
    return Output("\n".join(lines), records)
