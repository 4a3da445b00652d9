"""What does it cost to recognise unseen classes?"""

from ui.shell.show_page import show_page

show_page("playground")
