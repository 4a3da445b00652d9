"""Output of a worker process is complete or absent, whenever the process is stopped."""

import threading

from tests.works import Work
from zslcore.analysis.study import is_intact
from zslcore.jobs import worker_main
from zslcore.storage import artifacts


def test_a_worker_stopped_while_moving_its_result_leaves_it_complete(tmp_path, monkeypatch):
    work = Work("Counting", "count", {"to": 1})
    folder = artifacts.draft(tmp_path, f".{work.key}.")
    request = work.identity | {"folder": str(folder), "into": str(tmp_path / work.key)}
    request |= {"methods": {}}
    request["data"] = str(tmp_path)
    ended, seal = [], artifacts.seal

    def sealed(files):
        manifest = seal(files)  # the server ends here, and another thread notices it
        ending = threading.Thread(target=worker_main._abandon, args=(folder,))
        ending.start()
        ending.join(0.2)
        ended.append(ending)
        return manifest

    monkeypatch.setattr(worker_main.artifacts, "seal", sealed)
    monkeypatch.setattr(worker_main.os, "killpg", lambda *_: None)
    monkeypatch.setattr(worker_main.os, "_exit", lambda _: None)
    worker_main._compute(
        lambda folder, report, to: (folder / "count.txt").write_text(str(to)),
        request,
        worker_main.JobProgress(lambda _: None, folder),
    )
    ended[0].join(30)
    assert not folder.exists()
    assert is_intact(tmp_path / work.key)
