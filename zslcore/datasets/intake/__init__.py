"""Data sets from any files: the part of each array is guessed, and can be corrected by the user.

Any number of files in any container hold the parts of a data set: features, labels, class
embeddings, names and a split. The part of an array is guessed from the name of the variable, or of
the file if it holds one array, and then from the shape: there is one label per row of the features
and one class embedding per class. A choice ("labels": "FILE:NAME") overrides any guess.

Steps of an import: :mod:`arrays <zslcore.datasets.intake.arrays>` reads the arrays of a file,
``joining`` joins arrays that are divided among files, ``parts`` finds the part of each,
``surveying`` shows them to the user, and ``reading`` builds the data set.
"""

from zslcore.datasets.intake.parts import CHOICES, TITLES_OF_PARTS
from zslcore.datasets.intake.reading import find, is_generic, name_of_files, parquet_files
from zslcore.datasets.intake.surveying import Intake, add_prototypes, as_table, survey

__all__ = [
    "CHOICES",
    "TITLES_OF_PARTS",
    "Intake",
    "add_prototypes",
    "as_table",
    "find",
    "is_generic",
    "name_of_files",
    "parquet_files",
    "survey",
]
