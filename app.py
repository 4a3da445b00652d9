"""Start of the app: the eight pages in their order."""

from ui.frame import navigate

navigate()
