"""Numbers as text on screen: percent, three digits, times."""

from __future__ import annotations

import math

from zslcore.jobs import Status
from zslcore.numbers import percent as percent
from zslcore.numbers import signed as signed
from zslcore.numbers import three_digits as three_digits


def in_points(difference: float | None) -> str:
    """Format a difference of two fractions in percentage points, with its sign.

    Examples
    --------
    >>> in_points(0.013), in_points(-0.013), in_points(-0.0001)
    ('+1.3 points', '−1.3 points', '0.0 points')
    """
    if difference is None or math.isnan(difference):
        return "–"
    return f"{signed(difference)} points"


def duration(seconds: float) -> str:
    """Format a duration to the second, or to the minute from one hour on.

    Examples
    --------
    >>> duration(7.2), duration(65), duration(4000)
    ('7 s', '1 min 05 s', '1 h 07 min')
    """
    minutes, seconds_left = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {seconds_left:02} s" if minutes else f"{seconds_left} s"
    hours, minutes = divmod(round(seconds / 60), 60)
    return f"{hours} h {minutes:02} min"


def share_done(status: Status) -> float:
    """Return the share of a job that is done; 0 while it is unknown."""
    return min(status.done / status.total, 1.0) if status.total else 0.0


def elapsed(status: Status) -> str:
    """Format the elapsed time of a job and, if it can be estimated, the remaining time."""
    left = status.seconds_left
    remaining = "" if left is None else f", about {duration(left)} left"
    return f"{duration(status.seconds)} elapsed{remaining}."
