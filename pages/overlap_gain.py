"""Which classes profit from pre-training?"""

from ui.shell.show_page import show_page

show_page("overlap_gain")
