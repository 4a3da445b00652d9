"""What is in this data set?"""

from ui.show_page import show_page

show_page("data")
