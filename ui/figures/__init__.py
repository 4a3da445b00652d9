"""Figures as plain dicts, made from tables and results; one kind per file, without Streamlit."""
