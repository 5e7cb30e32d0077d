"""The commit of the training is in the oracle where it is the whole program, and nowhere else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from buto.errors import BadFileError
from buto.oracle import load, save, train
from buto.run.model import COMMIT, run_set
from tests.support.runs.stored import leaking_run

CLEAN = "0123456789" * 4


@pytest.mark.parametrize(
    ("commits", "known"),
    [
        ([CLEAN] * 5, CLEAN),
        ([f"{CLEAN}+dirty"] * 5, ""),
        ([CLEAN] * 4 + ["f" * 40], ""),
        ([None] * 5, ""),
        ([CLEAN] * 4 + [f"{CLEAN}+dirty"], ""),
    ],
)
def test_a_commit_is_remembered_if_it_is_that_of_every_run_without_changes(
    tmp_path: Path, commits: list[str | None], known: str
) -> None:
    runs = [leaking_run(number, **{COMMIT: commit}) for number, commit in enumerate(commits)]
    path = tmp_path / "leaker.json"
    save(path, train(run_set(runs)))
    assert load(path).commit == known
    assert ('"commit"' in path.read_text()) is bool(known)
    assert load(path).edits == ()


@pytest.mark.parametrize("written", ["--output=x", "HEAD", 5])
def test_what_is_no_commit_is_refused_before_git_reads_it(tmp_path: Path, written: object) -> None:
    path = tmp_path / "leaker.json"
    save(path, train(run_set([leaking_run(number) for number in range(5)])))
    path.write_text(json.dumps({**json.loads(path.read_text()), "commit": written}))
    with pytest.raises(BadFileError, match="commit"):
        load(path)
