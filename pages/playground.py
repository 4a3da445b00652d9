"""What does zero-shot learning do, and what does it cost?"""

from ui.shell.show_page import show_page

show_page("playground")
