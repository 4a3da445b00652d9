"""What runs in a child of :mod:`ui.jobs`: functions that write their result into a folder."""

from __future__ import annotations

FUNCTIONS = {}
