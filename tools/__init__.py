"""Scripts that write the facts under ``data/`` from the sources named in its README."""
