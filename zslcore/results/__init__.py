"""Results: what was computed, one layer under every page and command.

:mod:`.store` looks up, lists, adds and deletes results in the SQLite file of :mod:`.database`, of a
run or of any other kind (:mod:`.result`), :mod:`.shipped` or :mod:`.imported` from other people.
"""
