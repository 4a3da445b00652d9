"""How do I teach this?"""

from ui.shell.show_page import show_page

show_page("teach")
