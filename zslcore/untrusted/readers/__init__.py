"""Readers of file formats, called in a worker process."""
