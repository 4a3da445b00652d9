"""All functions that read untrusted files, and their types.

====================  =========================================================================
``answers``           calls of readers in a worker, limits, and checks of what a worker returns
``arrays``            named arrays in any container: :func:`look_into`, :func:`read_arrays`
``tables``            columns of CSV and Parquet
``values``            nested lists and objects, rows of texts, word vectors, captions
``lines``             lines of small texts, without a worker
``containers``        the type of a file by its first bytes
``files``             files on a disk: size, digest, changes during reading
``image_rows``        rows of the same images in two files
====================  =========================================================================

Files are parsed by :mod:`zslcore.untrusted.readers` in a confined process
(:mod:`zslcore.untrusted.worker`): four bytes can crash ``scipy.io.loadmat``, a file of 1 KB can
declare terabytes, and a list of 8 MB can keep a naive check busy for minutes. The output of the
process is checked again. If the process crashes, only the file is refused.

Every function raises FileRefusedError, with the file, the variable, and the expected and actual
content.
"""

from zslcore.untrusted.answers import DEFAULT_LIMITS, Limits, Role, open_array, read_confined
from zslcore.untrusted.arrays import (
    Contents,
    Variables,
    are_marks,
    contents_of_json,
    look_into,
    open_large_arrays,
    read_arrays,
)
from zslcore.untrusted.containers import ARRAYS, container_of
from zslcore.untrusted.files import LFS, open_file, refuse_changes, sha256_of_file
from zslcore.untrusted.image_rows import rows_by_image
from zslcore.untrusted.lines import first_fields, is_matrix_row, read_head, read_lines
from zslcore.untrusted.tables import (
    ColumnRole,
    Columns,
    Table,
    read_columns,
    read_score_table,
    read_table_file,
    read_text_columns,
)
from zslcore.untrusted.values import count_captions_of, read_plain_value, read_value, read_words
