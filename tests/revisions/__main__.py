"""Add the results of new revisions to ``figures.json``; see :mod:`tests.revisions`."""

import json

from tests.revisions import TABLE, given, revisions, table

known = table()
for name, revision in sorted(revisions().items()):
    if str(revision) not in known.setdefault(name, {}):
        known[name][str(revision)] = given(name)
        print(f"{name}: revision {revision}")  # noqa: T201
TABLE.write_text(json.dumps(known, indent=1) + "\n", encoding="utf-8")
