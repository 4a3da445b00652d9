"""Printed tables, claims and experiments of the papers, and findings on them."""
