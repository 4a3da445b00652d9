"""Long computations in worker processes: computed once, stored, and shared by all visitors.

Each job computes one study (:mod:`zslcore.analysis.study`)::

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
    jobs_of_visitor,
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
    "jobs_of_visitor",
    "status",
    "submit",
    "wait",
]
