"""Zero-shot learning on the command line, as ``zslcore`` and ``python -m zslcore``."""

import sys

from zslcore.commands.command_line import main

__all__ = ["main"]

if __name__ == "__main__":
    sys.exit(main())
