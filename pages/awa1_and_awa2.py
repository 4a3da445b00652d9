"""Is AWA2 a fair replacement for AWA1?"""

from ui.shell.show_page import show_page

show_page("awa1_and_awa2")
