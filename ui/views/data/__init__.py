"""Views of the page Data."""
