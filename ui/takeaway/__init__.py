"""Downloads: tables, pictures and reports."""
