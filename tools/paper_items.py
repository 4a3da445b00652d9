"""Write the guide's table of every table, figure, rule and claim of the papers, with what shows it.

    python -m tools.paper_items

Experiments and claims are those of the package, rules of protocols those of
``tools/protocol_rules.csv``; ``docs/guide/papers.md`` holds the table.
"""

from __future__ import annotations

import csv
from pathlib import Path

from zslcore.analysis.papers.claims import CLAIMS
from zslcore.analysis.papers.experiments import EXPERIMENTS, NOT_COMPUTED

GUIDE = Path(__file__).parents[1] / "docs" / "guide" / "papers.md"
MARKS = ("<!-- items -->", "<!-- /items -->")
#: Where the app shows a table or figure; the others have their command alone.
VIEWS = {
    "gbu:table1": "Data",
    "gbu:table3": "Compare",
    "gbu:table4": "AWA1 and AWA2: trained on one, tested on the other",
    "gbu:table6": "Compare",
    "gbu:figure2": "AWA1 and AWA2: map",
    "gbu:figure8": "Playground: ruler of test images",
    "cal:figure1": "Playground: ruler of λ",
    "cal:figure2": "Data",
    "cal:table1": "Compare",
    "cal:table2": "Compare",
    "fair:table1": "Leakage: contamination map",
    **{f"fair:figure{number}": "Overlap gain" for number in (2, 3, 4, 5)},
}
#: Rules of the papers' protocols, written by hand: where, what, the command that does it, the view.
RULES = Path(__file__).with_name("protocol_rules.csv")


def rules() -> list[dict[str, str]]:
    """Return the rules of protocols, a row each."""
    with RULES.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def items() -> str:
    """Return the table as Markdown."""
    rows = [
        (name, each.title, f"`zslcore reproduce {name}`", VIEWS.get(name, ""))
        for name, each in EXPERIMENTS.items()
    ]
    rows += [
        (name, f"not computed: {why.rstrip('.')}", "", VIEWS.get(name, ""))
        for name, why in NOT_COMPUTED.items()
    ]
    rows += [
        (rule["where"], rule["what"], f"`zslcore {rule['command']}`", rule["view"])
        for rule in rules()
    ]
    rows += [
        (
            f"{claim.paper} {claim.section}",
            claim.statement,
            f"`zslcore claims --id {id_}`",
            "Claims",
        )
        for id_, claim in CLAIMS.items()
    ]
    lines = [f"| {' | '.join(row).replace('  ', ' ')} |" for row in rows]
    return "\n".join(["| where | what | command | view |", "|---|---|---|---|", *lines])


def written(text: str) -> str:
    """Return the guide with today's table."""
    before, _, rest = text.partition(MARKS[0])
    _, _, after = rest.partition(MARKS[1])
    return f"{before}{MARKS[0]}\n{items()}\n{MARKS[1]}{after}"


if __name__ == "__main__":
    GUIDE.write_text(written(GUIDE.read_text(encoding="utf-8")), encoding="utf-8")
