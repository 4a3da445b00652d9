"""Read untrusted files in a confined child process."""
