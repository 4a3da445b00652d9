"""Build hook: write the commit that a package is built from into ``zslcore/_commit.py``.

Nothing is written into the checkout, and nothing at all where git does not know the commit.
"""

import sys
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CommitHook(BuildHookInterface):
    """Adds one file to the wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Ask the package itself for its commit; an sdist that was unpacked has none."""
        sys.path.insert(0, self.root)
        from zslcore.version import commit

        if commit():
            path = Path(mkdtemp()) / "_commit.py"
            path.write_text(f'COMMIT = "{commit()}"\n', encoding="utf-8")
            build_data["force_include"][str(path)] = "zslcore/_commit.py"
