"""Which method is best, and is the difference significant?"""

from ui.shell.show_page import show_page

show_page("compare")
