"""Files that a visitor gives: uploads, imports, score files."""
