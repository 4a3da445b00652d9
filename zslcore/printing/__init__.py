"""Figures for print: one panel a file, its width in millimetres, all its text 8 pt and embedded.

:mod:`.drawing` writes a panel as PDF, SVG or PNG by Matplotlib; :mod:`.results` has panels.
"""
