"""What is in this data set?"""

from ui.viewing import show_page

show_page("data")
