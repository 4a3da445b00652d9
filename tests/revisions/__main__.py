"""Add the results of new revisions to ``figures.json``; see :mod:`tests.revisions`."""

import json

from tests.revisions import TABLE, current_results, revisions, table

actual = table()
for name, revision in sorted(revisions().items()):
    if str(revision) not in actual.setdefault(name, {}):
        actual[name][str(revision)] = current_results(name)
        print(f"{name}: revision {revision}")  # noqa: T201
TABLE.write_text(json.dumps(actual, indent=1) + "\n", encoding="utf-8")
