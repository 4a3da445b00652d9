"""Scripts that write the files in ``data/`` from the sources named in its README."""
