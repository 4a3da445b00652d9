"""Data larger than memory: 14 million images, 21,841 classes, on one or many machines.

Results are exact: accuracies follow from counts, which add up over parts of the rows.

- :mod:`zslcore.large.shards`: a feature matrix as a folder of memory-mapped parts, accepted
  wherever a matrix is;
- :mod:`zslcore.large.ranks`: accuracies and exact seen-unseen curves for any number of candidate
  sets, from one pass over the test rows without a score matrix;
- :mod:`zslcore.large.engine`: the same computation for all parts, on this machine or on a Dask
  cluster.
"""
