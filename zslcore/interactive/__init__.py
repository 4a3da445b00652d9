"""Interactive figures: data as bytes, JavaScript modules, and single-file pages.

The browser draws a figure from packed bytes and joined modules. The app mounts figures as
components (``ui.components``); :func:`.one_file.one_file` writes a page that needs no server or
network.
"""
