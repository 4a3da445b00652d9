"""Results of runs and studies, for all pages and commands.

:mod:`.store` looks up, lists, stores and deletes results in the SQLite file of :mod:`.database`.
:mod:`.shipped` reads the package's precomputed results, :mod:`.run_files` reads results in JSON
files, and :mod:`.planning` finds and computes missing runs.
"""
