"""Lessons for a class: what is asked, what is shown, and what the room believed."""
