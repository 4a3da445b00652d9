"""The printed tables, claims and experiments of the three papers, and findings on them."""
