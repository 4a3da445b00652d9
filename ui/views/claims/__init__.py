"""Views of the page Claims."""
