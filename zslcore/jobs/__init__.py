"""Long work in child processes: computed once, shared by all who wait, stored when done.

Each job computes a study (:mod:`zslcore.analysis.study`)::

    jobs.submit(study)
    jobs.wait(study.key, seconds=60)
    result = study.read(jobs.finished(study))
"""

from zslcore.jobs.runner import (
    ANYONE,
    Runner,
    Status,
    Visitor,
    cancel,
    close,
    finished,
    of_visitor,
    status,
    submit,
    wait,
)

__all__ = [
    "ANYONE",
    "Runner",
    "Status",
    "Visitor",
    "cancel",
    "close",
    "finished",
    "of_visitor",
    "status",
    "submit",
    "wait",
]
