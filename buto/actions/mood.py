"""What turns learn of the machine: later runs of the program of the training, launched in turns that passed.

A machine that is slower today than in training makes unchanged programs suspicious. The first turns clear
them, and what they measured of the old program stays in the store, never in the committed oracle, so that one
noisy hour is paid for once.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

from msgspec import Struct, structs

from buto.actions.turns import judge_by_oracle
from buto.actions.workspace import KnownOracle, Workspace
from buto.errors import BadFileError
from buto.judging.classifiers import compare_metadata
from buto.oracle import CheckedRuns, Oracle
from buto.programs.named import to_data
from buto.run import names
from buto.run.model import Run, run_set
from buto.run.objects import open_storage
from buto.run.stored import parse_json, read
from buto.run.window import cut_set_to_window, with_window

FORMAT = "buto-mood"
VERSION = 1
MOST_RUNS = 20
_MAX_BYTES = 1 << 16
_SUFFIX = ".json"


class _Mood(Struct, frozen=True):
    """The file.

    Attributes:
        program: what the oracle knows of its program, as text.
        test: under which name the runs are stored.
        runs: their ids, newest last.
    """

    format: str
    version: int
    program: str
    test: str
    runs: tuple[str, ...]


def remember_mood(workspace: Workspace, known: Oracle, runs: Sequence[Run]) -> None:
    """Remember runs of the old program, launched in turns that passed.

    Raises:
        StorageError: the store cannot be written.
    """
    if not runs:
        return
    before = _newest(workspace, known)
    ids = (*(before.runs if before else ()), *(run.id for run in runs))
    mood = _Mood(FORMAT, VERSION, _program(known), runs[0].test, tuple(dict.fromkeys(ids))[-MOST_RUNS:])
    storage, folder = open_storage(workspace.store), _folder(known)
    old = list(storage.files(folder))
    content = json.dumps({name: getattr(mood, name) for name in mood.__struct_fields__}).encode()
    storage.add_file(f"{folder}/{names.new_id()}{_SUFFIX}", content, "mood of the machine")
    for name in old:
        storage.delete_file(f"{folder}/{name}")


def with_mood(workspace: Workspace, known: KnownOracle) -> KnownOracle:
    """Return an oracle that knows the mood of the machine, of this program and environment."""
    return structs.replace(known, oracle=_with_mood(workspace, known.oracle))


def judge_as_then(workspace: Workspace, known: Oracle, runs: Sequence[Run]) -> CheckedRuns:
    """Judge the stored runs of a check by the oracle alone, in the mood of the machine before them.

    Turns that came later would clear what these runs were suspected of.
    """
    return judge_by_oracle(_with_mood(workspace, known, min((run.id for run in runs), default="")), runs)


def _with_mood(workspace: Workspace, oracle: Oracle, before: str = "") -> Oracle:
    """Return an oracle that knows the mood of the machine.

    Args:
        before: only runs with lower ids count, which began earlier; empty for all.
    """
    mood = _newest(workspace, oracle)
    if mood is None:
        return oracle
    at_hand = set(workspace.runs.ids(mood.test))
    ids = [run_id for run_id in mood.runs if run_id in at_hand and (not before or run_id < before)]
    stored = workspace.runs.load_set(mood.test, ids)
    window = workspace.windows.get(oracle.test)
    runs = (
        cut_set_to_window(run_set([with_window(run, window) for run in stored])).runs if len(stored) else ()
    )
    alike = [
        run
        for run in runs
        if not any(
            difference.deciding
            for difference in compare_metadata(oracle.environment, run.metadata, oracle.metadata)
        )
    ]
    return replace(oracle, fitted=oracle.fitted.with_mood(alike))


def _newest(workspace: Workspace, known: Oracle) -> _Mood | None:
    """Return what is remembered of this program; None if it is of another one.

    Raises:
        BadFileError: the file is damaged.
    """
    storage, folder = open_storage(workspace.store), _folder(known)
    newest = max((name for name in storage.files(folder) if name.endswith(_SUFFIX)), default=None)
    if newest is None:
        return None
    key = f"{folder}/{newest}"
    try:
        mood = read(parse_json(storage.read_file(key, _MAX_BYTES)), _Mood)
        if mood.format != FORMAT or mood.version > VERSION or len(mood.runs) > MOST_RUNS:
            raise ValueError(f"it is not a {FORMAT} of version {VERSION}")
    except ValueError as error:
        raise BadFileError(
            f"{storage.place(key)}: {error}", advice=f"remove it: {storage.removal(key)}"
        ) from error
    return mood if mood.program == _program(known) else None


def _program(known: Oracle) -> str:
    return json.dumps(to_data(known.program), sort_keys=True)


def _folder(known: Oracle) -> str:
    return f"mood/{names.encode_test(known.test)}"
