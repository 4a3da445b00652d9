"""Figures for print: one panel a file, its width in millimetres, all its text 8 pt and embedded.

form      :mod:`zslcore.printing.panel`: what a panel shows, free of any drawing library
drawing   :mod:`zslcore.printing.drawing`: the panel as PDF, SVG or PNG, by Matplotlib
results   :mod:`zslcore.printing.results`: the panels of predictions and of interactive figures
"""
