"""Do classes the extractor was trained on get better accuracy?"""

from ui.shell.show_page import show_page

show_page("overlap_gain")
