"""Cards of files, as ``zslcore check`` prints them."""

from zslcore.commands.check import cards_of
from zslcore.leakage.file_kinds import group_files, recognise_files
from zslcore.storage.artifacts import scratch


def cards_of_files(paths, *stated):
    """Return the cards of untrusted files in any order."""
    with scratch() as folder:
        return cards_of(group_files(recognise_files(paths, folder)), *stated)
