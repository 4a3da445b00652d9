"""Commands of the command line that have verbs or tables of their own, one file each."""
