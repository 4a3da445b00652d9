"""Start of the app: the eight pages in their order, and the addresses that have moved."""

from ui.frame import navigate

navigate()
