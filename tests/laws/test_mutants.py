"""Each handwritten mutant changes an existing line, and is valid Python."""

from pathlib import Path

import pytest

from tools.mutants import N_RANDOM, ROOT, planted_mutants, random_mutants, stages


@pytest.mark.nightly
def test_every_mutant_changes_its_file_and_has_tests():
    mutants = random_mutants()
    assert len(mutants) == N_RANDOM
    for mutant in [*mutants, *planted_mutants()]:
        source = (ROOT / mutant.path).read_text(encoding="utf-8")
        end = mutant.at + len(mutant.before)
        assert source[mutant.at : end] == mutant.before != mutant.after
        if mutant.path.endswith(".py"):
            compile(source[: mutant.at] + mutant.after + source[end:], mutant.path, "exec")
        calls = [words for tier in stages(Path(mutant.path)).values() for words in tier]
        assert all((ROOT / words[0]).exists() for words in calls)
