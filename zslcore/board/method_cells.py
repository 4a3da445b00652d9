"""Results of the board as cells of the table of methods, and the leak badge of a column."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from zslcore.analysis.method_table import COLUMN_OF, Cell, row_name
from zslcore.board.checking import Judged
from zslcore.board.contamination import Contamination, overlap_of, unseen_classes_of

#: Who submitted what this package shipped.
OURS = "Zero-shot lab"


def cells_of_board(results: Iterable[Judged]) -> list[Cell]:
    """Return results of the board as cells, without bounds and superseded splits."""
    return [_of_entry(one) for one in results if not one.entry.peeked and one.split.kind != "v1"]


def _of_entry(one: Judged) -> Cell:
    entry, data = one.entry, one.entry.data
    values: dict[Any, float | None] = {
        name: getattr(entry.figures, field) for field, name in COLUMN_OF.items()
    }
    spec, scaled = entry.spec or {}, ("features", "prototypes")
    more = [f"{what} {spec[what]}" for what in scaled if spec.get(what, "l2") != "l2"]
    return Cell(
        row=row_name(entry.method, entry.parameters.params, more),
        data=data.name,
        digest=data.digest,
        benchmark=data.benchmark,
        simulated=data.simulated,
        split=next(iter(entry.split.name.split()), ""),
        task=entry.parameters.chosen_for,
        origin="shipped" if entry.who == OURS else "others",
        who=entry.who,
        state=one.state,
        figures={name: x for name, x in values.items() if x is not None},
        per_class=entry.per_class,
        unseen=frozenset(unseen_classes_of(entry)),
        pretraining=data.pretraining,
        key=one.file,
        source=one,
    )


def leak_of(cells: Sequence[Cell]) -> Contamination:
    """Return what is known of the leak of a column: its unseen classes in the pre-training set.

    Parameters
    ----------
    cells : of one data set and split
    """
    pretraining = next((cell.pretraining for cell in cells if cell.pretraining), ())
    names = next((cell.unseen for cell in cells if cell.unseen), frozenset())
    return overlap_of(sorted(names), pretraining, cells[0].benchmark)
