"""Sections of pages, one per file: widgets, tables and figures."""
