"""Can I trust this split, this number?"""

from ui.viewing import show_page

show_page("leakage")
