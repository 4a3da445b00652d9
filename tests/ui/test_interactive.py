"""Messages from a browser: the gamma chosen on a curve, and a job that its visitor leaves."""

from types import SimpleNamespace

import pytest
from streamlit.testing.v1 import AppTest

from tests.works import Work
from ui.shell import frame, visitors
from ui.takeaway import curves
from zslcore.jobs import Status, Visitor


@pytest.mark.parametrize(
    ("sent", "taken"),
    [
        (0.25, 0.25),
        (-3, -3.0),
        (1e14, 1e14),
        (1e15, None),
        (-1e300, None),
        (float("inf"), None),
        (float("nan"), None),
        ("0.5", None),
        (None, None),
    ],
)
def test_an_invalid_gamma_is_ignored(monkeypatch, sent, taken):
    state = {"curve": SimpleNamespace(gamma=sent)}
    monkeypatch.setattr(curves, "st", SimpleNamespace(session_state=state))
    assert curves.released_value("curve", "gamma") == taken


def _page():
    from ui.shell import frame

    frame._show_jobs()


def test_leaving_a_job_affects_only_this_visitor(monkeypatch):
    me, work, left = Visitor("a", "me"), Work("Counting", "count", {"to": 3}), []
    jobs = SimpleNamespace(
        jobs_of_visitor=lambda who: [(work, Status("running", total=4, done=1, visitors=2))],
        cancel=lambda *args: left.append(args),
    )
    monkeypatch.setattr(visitors, "current", lambda: me)
    monkeypatch.setattr(frame, "jobs", jobs)
    app = AppTest.from_function(_page).run()
    app.button(key=f"leave_{work.key}").click().run()
    assert not app.exception
    assert left == [(work.key, me)]
