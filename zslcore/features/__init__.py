"""Feature matrices: seen through rows and a scaling, walked in blocks, and checked.

============ =====================================================================================
view         :mod:`zslcore.features.views`: rows, scaling, blocks and products of them
check        :mod:`zslcore.features.checks`: arrays of finite numbers, or one sentence
============ =====================================================================================
"""
