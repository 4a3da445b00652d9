"""Views of the page Leakage."""
