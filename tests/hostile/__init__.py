"""Files made to do harm: generators, and what has to hold of whatever reads them.

The suite tries a few of each kind (``test_hostile.py``); ``python -m tests.hostile --count 10000``
tries many and prints a table.
"""
