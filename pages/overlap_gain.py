"""Which classes benefit from pre-training?"""

from ui.shell.show_page import show_page

show_page("overlap_gain")
