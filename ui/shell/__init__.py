"""Frame of every page: header, menus, search, errors, numbers and glossary."""
