"""Build hook that writes the current commit into ``zslcore/_commit.py`` of the package.

The checkout does not change, and without a git commit no file is written.
"""

import sys
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CommitHook(BuildHookInterface):
    """Build hook that adds one file to the wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the commit that the package reports; an unpacked sdist has none."""
        sys.path.insert(0, self.root)
        from zslcore.version import commit

        if commit():
            path = Path(mkdtemp()) / "_commit.py"
            path.write_text(f'COMMIT = "{commit()}"\n', encoding="utf-8")
            build_data["force_include"][str(path)] = "zslcore/_commit.py"
