"""Can I trust this split, score matrix or number?"""

from ui.shell.show_page import show_page

show_page("leakage")
