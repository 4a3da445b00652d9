"""Views of the page Playground."""
