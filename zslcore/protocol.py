"""Public path of :mod:`zslcore.evaluation.protocol`."""

from zslcore.evaluation.protocol import evaluate as evaluate
from zslcore.evaluation.protocol import fit_and_score as fit_and_score
from zslcore.evaluation.protocol import select as select
