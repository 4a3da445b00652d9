"""The views of the pages: a module each, with ``show(header)``."""
