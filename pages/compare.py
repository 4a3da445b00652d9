"""Which method is best, and is that certain?"""

from ui.viewing import show_page

show_page("compare")
