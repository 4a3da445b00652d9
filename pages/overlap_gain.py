"""Do classes in the pre-training set gain accuracy?"""

from ui.shell.show_page import show_page

show_page("overlap_gain")
