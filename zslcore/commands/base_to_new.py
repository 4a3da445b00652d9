"""List the base and new classes of the eleven sets used to test prompt tuning.

As in the released code, the base classes are the first half of the classes in the order of their
labels; the state in brackets says whether a split file confirms this order. `zslcore import
--unseen base-to-new:NAME` imports features with this split. Example::

    zslcore base-to-new oxford_pets --side new
"""

from __future__ import annotations

import argparse

from zslcore.commands.command import Output, command, option
from zslcore.commands.options import JSON
from zslcore.exceptions import ParameterError

#: Column of the printed table -> column of :func:`transfer_table`, and its width.
COLUMNS = {
    "labelled: same": ("same", 16),
    "related": ("related", 9),
    "by name: certain": ("certain", 18),
    "possible": ("possible", 10),
    "labelled pairs": ("pairs", 16),
    "certain and same": ("right", 18),
}
NOTE = (
    "labelled: by a person, who read both lists of names (labelled_pairs.csv); related: one class "
    "is a part or a kind of the other; by name: the result of `zslcore contamination`; certain and "
    "same: the number of pairs that are certain by name and labelled as the same class, of all "
    "pairs that are certain by name (-: none)"
)
#: Fields of a set in the JSON output.
FIELDS = ("name", "title", "base", "new", "order", "state", "template", "source", "url")


@command(
    option("name [NAME]", "name of a set, such as oxford_pets (all, with counts)"),
    option("--side {base,new}", "only these classes of the set, one per line"),
    option("--transfer", "count the classes of the other sets that are in ImageNet-1K"),
    JSON,
)
def run(args: argparse.Namespace) -> Output:
    """Return all sets, or the classes of one set."""
    from zslcore.datasets.open_world import open_world_set, open_world_sets

    name, side = args.name, args.side
    if args.transfer and (name or side):
        raise ParameterError("--transfer: expected no NAME and no --side, as it lists every set.")
    if side and args.json:
        raise ParameterError("--side: expected no --json; got both.")
    if args.transfer:
        return _transfer()
    if side and not name:
        raise ParameterError("--side: expected the NAME of a set as well; got none.")
    sets = [open_world_set(name)] if name else list(open_world_sets().values())
    records = [{field: getattr(class_set, field) for field in FIELDS} for class_set in sets]
    if not name:
        lines = [f"{'name':<14}{'classes':>8}{'base':>6}{'new':>6}  order of labels (state)"]
        for class_set in sets:
            counts = f"{len(class_set.classes):>8,}{len(class_set.base):>6}{len(class_set.new):>6}"
            lines.append(f"{class_set.name:<14}{counts}  {class_set.order} ({class_set.state})")
        return Output("\n".join(lines), records)
    (chosen,) = sets
    if side:
        return Output("\n".join(getattr(chosen, side)), records)
    text = (
        f"{chosen.title}: {len(chosen.base)} base and {len(chosen.new)} new classes; labels are "
        f"{chosen.order} ({chosen.state})\n{chosen.source}; {chosen.url}\n{chosen.template}\n\n"
        f"base: {', '.join(chosen.base)}\n\nnew: {', '.join(chosen.new)}"
    )
    return Output(text, records)


def _transfer() -> Output:
    """Return one row per target set."""
    from zslcore.leakage.reliability import transfer_table

    table = transfer_table()
    heads = "".join(f"{head:>{width}}" for head, (_, width) in COLUMNS.items())
    lines = [f"{'':<22}{'classes':>8}{heads}"]
    for row in table.to_dict("records"):
        certain = row["pairs_certain"]
        row["right"] = f"{row['pairs_right']} of {certain}" if certain else "-"
        cells = "".join(f"{row[column]:>{width}}" for column, width in COLUMNS.values())
        lines.append(f"{row['title']:<22}{row['classes']:>8}{cells}")
    return Output("\n".join([*lines, NOTE]), table)
