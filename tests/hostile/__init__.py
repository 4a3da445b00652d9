"""Files made to do harm: generators, and what has to hold of whatever reads them.

The suite tries a few of each kind; ``ZSL_HOSTILE=1000 python -m pytest tests/hostile`` tries a
thousand.
"""
