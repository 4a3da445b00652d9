"""Readers of untrusted files, which run in a confined worker process."""
