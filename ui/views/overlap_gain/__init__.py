"""Views of the page Overlap gain."""
