"""What knows the screen and is no page: frame, cache, controls, tables and figures."""
