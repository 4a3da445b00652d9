"""Views of the pages, one module each, with ``show(header)``."""
