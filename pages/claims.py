"""What did the papers claim, and does it hold?"""

from ui.shell.show_page import show_page

show_page("claims")
