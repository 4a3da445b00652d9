"""Files from visitors: uploads, imports, score files."""
