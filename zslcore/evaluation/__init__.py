"""Predictions of a model for a test set, and the metrics computed from them.

The protocol is in ``protocol`` and ``runs``. Predictions, their file and their verification are in
``predictions``, ``predictions_file`` and ``verification``, resampled metrics in ``bootstrap``.
"""
