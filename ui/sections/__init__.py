"""Parts of pages, one question a file; widgets in, figures out."""
