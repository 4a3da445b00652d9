"""Screen of the app without its pages: frame, caches, controls, tables and figures."""
