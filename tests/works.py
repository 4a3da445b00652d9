"""Studies for tests of the runner, which call functions of a test module."""

from dataclasses import dataclass, field

from zslcore.analysis.study import study_key


@dataclass(frozen=True)
class Work:
    """Substitute for a study."""

    title: str
    function: str
    arguments: dict = field(default_factory=dict)
    threads: int = 1
    made_by: dict = field(default_factory=dict)

    @property
    def identity(self):
        names = ("function", "arguments", "threads", "made_by")
        return {name: getattr(self, name) for name in names}

    @property
    def key(self):
        return study_key(self.identity)
