"""What did the papers claim, and does it hold?"""

from ui.viewing import show_page

show_page("claims")
