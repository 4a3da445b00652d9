"""Frame of every page: header, menu, search, errors, numbers and words."""
