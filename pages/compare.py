"""Which method is best, and is that certain?"""

from ui.show_page import show_page

show_page("compare")
