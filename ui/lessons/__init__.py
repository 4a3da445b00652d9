"""Lessons for a class: questions, predictions of a room, and answers."""
