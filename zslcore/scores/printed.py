"""Metrics printed in a paper."""

from __future__ import annotations

import re
from dataclasses import dataclass

from zslcore.exceptions import ParameterError

#: Name of a printed metric -> lines of the table of protocols that it may refer to.
LINES_OF_METRIC = {
    "u": (("Joint label space", "unseen"),),
    "s": (("Joint label space", "seen"),),
    "H": (("Joint label space", "H"), ("Separate label spaces", "H")),
    "ZSL": (("Separate label spaces", "unseen among unseen"),),
    "AUSUC": (("Every", "AUSUC"),),
}
#: Other names of these metrics in papers.
ALIASES = {"unseen": "u", "seen": "s", "h": "H", "zsl": "ZSL", "t1": "ZSL", "ausuc": "AUSUC"}
METRIC = re.compile(r"([A-Za-z0-9]+)\s*[=: ]\s*([0-9]{1,3}(?:\.[0-9]{1,4})?)\s*%?")


@dataclass(frozen=True, slots=True)
class PrintedMetric:
    """Printed metric: its name in :data:`LINES_OF_METRIC`, and its percentage as printed."""

    name: str
    text: str

    def matches(self, value: float) -> bool:
        """Whether a fraction rounds to the printed percentage."""
        decimals = len(self.text.partition(".")[2])
        return abs(100 * value - float(self.text)) <= 0.5 * 10**-decimals + 1e-9


def read_printed(text: str) -> tuple[PrintedMetric, ...]:
    """Parse metrics in a text like ``H 49.8, u 45.1``; ParameterError for any other text.

    The decimal point may be a comma.
    """
    printed = []
    text = re.sub(r"(?<=\d),(?=\d)", ".", text)
    for part in filter(None, (part.strip() for part in re.split(r"[,;]", text))):
        match = METRIC.fullmatch(part)
        name = match and ALIASES.get(match[1].lower(), match[1])
        if match is None or name not in LINES_OF_METRIC or float(match[2]) > 100:
            raise ParameterError(
                f"Printed metrics: expected {', '.join(LINES_OF_METRIC)} with a value in percent, "
                f"such as 'H 49.8, u 45.1'; got {part!r}."
            )
        printed.append(PrintedMetric(str(name), match[2]))
    return tuple(printed)
