"""Files that a visitor takes away: tables, pictures, reports."""
