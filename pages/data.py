"""What is in this data set?"""

from ui.shell.show_page import show_page

show_page("data")
