"""Results: what was computed, one layer under every page and command.

============ =====================================================================================
result       :mod:`zslcore.results.result`: a result of any kind but a run
store        :mod:`zslcore.results.store`: look up, list, add and delete results
file         :mod:`zslcore.results.database`: the SQLite file, its checksums, backup and repair
shipped      :mod:`zslcore.results.shipped`: results that come with the package
imported     :mod:`zslcore.results.imported`: results of other people, checked and marked
============ =====================================================================================
"""
