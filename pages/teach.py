"""How do I teach this?"""

from ui.viewing import show_page

show_page("teach")
