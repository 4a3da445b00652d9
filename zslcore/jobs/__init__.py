"""Long work in child processes: computed once, shared by all who wait, stored when done.

Each kind of work is one file with ``ask``, ``do`` and ``read`` (:mod:`zslcore.jobs.kinds`)::

    work = run.ask(spec, dataset)
    jobs.submit(work)
    jobs.wait(work.key, seconds=60)
    result, scores = run.read(jobs.finished(work), work)
"""

from zslcore.jobs.queueing import ANYONE, Visitor
from zslcore.jobs.runner import (
    Runner,
    cancel,
    close,
    finished,
    of_visitor,
    status,
    submit,
    wait,
)
from zslcore.jobs.work import Status, Work

__all__ = [
    "ANYONE",
    "Runner",
    "Status",
    "Visitor",
    "Work",
    "cancel",
    "close",
    "finished",
    "of_visitor",
    "status",
    "submit",
    "wait",
]
