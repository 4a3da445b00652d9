"""Which method is best, and is that certain?"""

from ui.shell.show_page import show_page

show_page("compare")
