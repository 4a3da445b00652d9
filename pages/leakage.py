"""Can I trust this split, this number?"""

from ui.shell.show_page import show_page

show_page("leakage")
