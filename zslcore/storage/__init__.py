"""Files: paths, atomic writes, checksummed folders, versioned JSON, safe spreadsheets."""
