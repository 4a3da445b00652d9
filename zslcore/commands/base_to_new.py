"""``zslcore base-to-new``: class lists of the eleven sets of base-to-new tests, by the rule.

The first half of the classes, in the order of their labels, is base. The lists follow the rule of
the released code; the state says whether a split file has shown the order. `--unseen base-to-
new:NAME` of import and extract makes such a split.
"""

from __future__ import annotations

import argparse

from zslcore.exceptions import ParameterError

#: Column of the printed table of the transfer -> of :func:`transfer_table`, and its width.
COLUMNS = {
    "read: same": ("same", 12),
    "part or kind": ("related", 14),
    "by name: certain": ("certain", 18),
    "possible": ("possible", 10),
    "pairs read": ("pairs", 12),
    "certain right": ("right", 15),
}
NOTE = (
    "read: a person read the lists of names side by side (labelled_pairs.csv); by name: the "
    "comparison of `zslcore contamination`; certain right: of the labelled pairs that it calls "
    "certain, those of the same class, - where it calls none so"
)
#: Fields of a set that are printed as JSON.
FIELDS = ("name", "title", "base", "new", "order", "state", "template", "source", "url")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    option = parser.add_argument
    option("name", nargs="?", metavar="NAME", help="of a set, as oxford_pets (all, counted)")
    option("--side", choices=("base", "new"), help="only these classes of the set, one a line")
    text = "which classes of the other sets are classes of ImageNet-1K, counted"
    option("--transfer", action="store_true", help=text)
    option("--json", action="store_true", help="print everything as JSON")


def run(args: argparse.Namespace) -> object:
    """Return the sets, or the classes of one."""
    from zslcore.datasets.open_world import open_world_set, open_world_sets

    name, side = args.name, args.side
    if args.transfer and (name or side):
        raise ParameterError("--transfer: expected no NAME and no --side; it lists every target.")
    if side and args.json:
        raise ParameterError("--side: prints a class a line; got --json as well.")
    if args.transfer:
        return _transfer(as_json=args.json)
    if side and not name:
        raise ParameterError("--side: expected the NAME of a set with it; got none.")
    sets = [open_world_set(name)] if name else list(open_world_sets().values())
    if args.json:
        return [{field: getattr(one, field) for field in FIELDS} for one in sets]
    if not name:
        lines = [f"{'name':<14}{'classes':>8}{'base':>6}{'new':>6}  labels are (state)"]
        for one in sets:
            counts = f"{len(one.classes):>8,}{len(one.base):>6}{len(one.new):>6}"
            lines.append(f"{one.name:<14}{counts}  {one.order} ({one.state})")
        return "\n".join(lines)
    (one,) = sets
    if side:
        return "\n".join(getattr(one, side))
    return (
        f"{one.title}: {len(one.base)} base and {len(one.new)} new classes; labels are {one.order} "
        f"({one.state})\n{one.source}; {one.url}\n{one.template}\n\n"
        f"base: {', '.join(one.base)}\n\nnew: {', '.join(one.new)}"
    )


def _transfer(*, as_json: bool) -> object:
    """Return a target set a row."""
    from zslcore.leakage.reliability import transfer_table

    table = transfer_table()
    if as_json:
        return table
    heads = "".join(f"{head:>{width}}" for head, (_, width) in COLUMNS.items())
    lines = [f"{'':<22}{'classes':>8}{heads}"]
    for row in table.to_dict("records"):
        certain = row["pairs_certain"]
        row["right"] = f"{row['pairs_right']} of {certain}" if certain else "-"
        cells = "".join(f"{row[column]:>{width}}" for column, width in COLUMNS.values())
        lines.append(f"{row['title']:<22}{row['classes']:>8}{cells}")
    return "\n".join([*lines, NOTE])
