"""Results: one layer under every page and command.

:mod:`.store` looks up, lists, stores and deletes results in the SQLite file of :mod:`.database`.
:mod:`.shipped` reads the precomputed ones of the package, :mod:`.run_files` results in JSON files,
and :mod:`.planning` finds and computes missing runs.
"""
