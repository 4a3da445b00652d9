"""``zslcore base-to-new``: class lists of the eleven sets of base-to-new tests, by the rule.

The first half of the classes, in the order of their labels, is base. The lists follow the rule of
the released code; the state says whether a split file has shown the order. `--unseen base-to-
new:NAME` of import and extract makes such a split.
"""

from __future__ import annotations

import argparse
import json

#: Column of the printed table of the transfer -> of :func:`transfer_table`.
COLUMNS = {
    "read: same": "same",
    "part or kind": "related",
    "by name: certain": "certain",
    "possible": "possible",
    "pairs read": "pairs",
}
NOTE = (
    "read: a person read the lists of names side by side (labelled_pairs.csv); by name: the "
    "comparison of `zslcore contamination`; certain right: of the labelled pairs that it calls "
    "certain, those of the same class, - where it calls none so"
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    option = parser.add_argument
    option("name", nargs="?", metavar="NAME", help="of a set, as oxford_pets (all, counted)")
    option("--side", choices=("base", "new"), help="only these classes of the set, one a line")
    text = "which classes of the other sets are classes of ImageNet-1K, counted"
    option("--transfer", action="store_true", help=text)
    option("--json", action="store_true", help="print everything as JSON")


def run(args: argparse.Namespace) -> None:
    """Print the sets, or the classes of one."""
    from zslcore.datasets.open_world import open_world_set, open_world_sets
    from zslcore.exceptions import ParameterError

    if args.transfer and (args.name or args.side):
        raise ParameterError("--transfer: expected no NAME and no --side; it lists every target.")
    if args.side and args.json:
        raise ParameterError("--side: prints a class a line; got --json as well.")
    if args.transfer:
        _print_transfer(as_json=args.json)
        return
    if args.side and not args.name:
        raise ParameterError("--side: expected the NAME of a set with it; got none.")
    sets = [open_world_set(args.name)] if args.name else list(open_world_sets().values())
    if args.json:
        fields = ("name", "title", "base", "new", "order", "state", "template", "source", "url")
        print(json.dumps([{field: getattr(one, field) for field in fields} for one in sets]))
    elif not args.name:
        print(f"{'name':<14}{'classes':>8}{'base':>6}{'new':>6}  labels are (state)")
        for one in sets:
            counts = f"{len(one.classes):>8,}{len(one.base):>6}{len(one.new):>6}"
            print(f"{one.name:<14}{counts}  {one.order} ({one.state})")
    elif args.side:
        print("\n".join(getattr(sets[0], args.side)))
    else:
        (one,) = sets
        labels = f"labels are {one.order} ({one.state})"
        print(f"{one.title}: {len(one.base)} base and {len(one.new)} new classes; {labels}")
        print(f"{one.source}; {one.url}\n{one.template}")
        for side in ("base", "new"):
            print(f"\n{side}: {', '.join(getattr(one, side))}")


def _print_transfer(*, as_json: bool) -> None:
    """Print a target set a row."""
    from zslcore.leakage.contamination.reliability import transfer_table

    table = transfer_table()
    if as_json:
        print(table.to_json(orient="records"))
        return
    heads = (*zip(COLUMNS, (12, 14, 18, 10, 12), strict=True), ("certain right", 15))
    print(f"{'':<22}{'classes':>8}{''.join(f'{head:>{wide}}' for head, wide in heads)}")
    for row in table.to_dict("records"):
        right = f"{row['pairs_right']} of {row['pairs_certain']}" if row["pairs_certain"] else "-"
        cells = (*(row[COLUMNS[head]] for head in COLUMNS), right)
        padded = (f"{cell:>{wide}}" for cell, (_, wide) in zip(cells, heads, strict=True))
        print(f"{row['title']:<22}{row['classes']:>8}{''.join(padded)}")
    print(NOTE)
