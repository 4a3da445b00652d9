"""Interactive figures: data as bytes, modules of JavaScript, and pages of one file.

The browser draws from bytes (:mod:`.packing`) and joined modules (:mod:`.modules`); the app mounts
the figure (``ui.components``), :func:`.one_file.one_file` writes a page without server or network.
"""
