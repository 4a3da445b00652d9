"""Views of the page AWA1 and AWA2."""
