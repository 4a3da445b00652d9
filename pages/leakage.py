"""Can I trust this split, this number?"""

from ui.show_page import show_page

show_page("leakage")
