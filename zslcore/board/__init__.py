"""Leaderboard: one JSON per result, checked automatically, shown in one table.

:mod:`~zslcore.board.entry` defines the JSON, :mod:`~zslcore.board.making` writes it,
:mod:`~zslcore.board.checking` checks it, and :mod:`~zslcore.board.table` shows it.
"""
