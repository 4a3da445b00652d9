"""State of a visitor: caches, choices in the address, jobs."""
