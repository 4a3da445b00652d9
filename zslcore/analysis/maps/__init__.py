r"""Maps of one data set, or of two data sets with the same classes.

Features, scaled as for methods, are projected by a PCA of *all* rows of both data sets. From its
first 50 components, t-SNE or UMAP lays out the chosen rows in the plane:

.. math:: x \in \mathbb{R}^D \;\to\; z = U^\top (x - \mu) \in \mathbb{R}^{50} \;\to\; \mathbb{R}^2

Both layouts start from the first two components and use the same exact graph of nearest neighbours.
The same settings, seed and number of threads give the same coordinates. For measures of the
reliability of a map see :mod:`zslcore.analysis.maps.quality`.

References
----------
P. Poličar, M. Stražar, B. Zupan, "openTSNE: a modular Python library for t-SNE dimensionality
reduction and embedding", JSS 2024. L. McInnes, J. Healy, J. Melville, "UMAP: uniform manifold
approximation and projection for dimension reduction", 2018. D. Kobak, P. Berens, "The art of using
t-SNE for single-cell transcriptomics", Nature Communications 2019 (PCA, initialisation, learning
rate).
"""
