"""Data larger than memory: 14 million images and 21,841 classes, on one machine or on many.

Nothing is approximated: the counts that accuracies are made of add up over parts of the rows.

- :mod:`zslcore.large.shards`: a feature matrix as a folder of mapped parts, usable wherever a
  matrix is taken;
- :mod:`zslcore.large.ranks`: accuracies of any number of candidate sets and their exact
  seen-unseen curves from one pass over the test rows, without a score matrix;
- :mod:`zslcore.large.engine`: the same work over all parts, on this machine or on a Dask cluster.
"""
