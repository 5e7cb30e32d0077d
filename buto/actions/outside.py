"""What was around a program in training, what of it has changed meanwhile, and what launches share there."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from msgspec import structs

from buto.actions.launcher import Launcher
from buto.actions.old_target import OF_JVM, OF_PROGRAM
from buto.actions.workspace import Workspace
from buto.errors import UsageError
from buto.oracle import Oracle
from buto.programs.candidates import Candidates, differing_keys
from buto.programs.candidates import candidates as compared
from buto.programs.elsewhere import find_changed_within
from buto.programs.named import Revision, files_of
from buto.programs.surroundings import Surroundings, SurroundingsStore, is_elsewhere, surroundings_of
from buto.project import config
from buto.project.model import TestConfig
from buto.run.masking import Mask
from buto.run.model import Run
from buto.run.names import start_of
from buto.steps import isolation

_OF_MACHINE = ("labels", "mask")
"""Keys that no program sees."""


def remember_surroundings(launcher: Launcher, test: TestConfig, known: Oracle, runs: Sequence[Run]) -> None:
    """Keep what is around a program that was trained on, beside the kept program.

    Of a program that other hosts launched nothing is kept.

    Args:
        known: what was learned.
        runs: the training runs.

    Raises:
        StorageError: the store cannot be written.
    """
    if not launcher.scheduler and known.run_ids:
        surroundings = _around(launcher.workspace, test, known, runs)
        SurroundingsStore(launcher.workspace.store).keep(test.name, known.run_ids[-1], surroundings)


def candidates(workspace: Workspace, test: TestConfig, known: Oracle, runs: Sequence[Run]) -> Candidates:
    """Return what has changed since training that the old and the new program both read.

    Args:
        test: how the present program is launched.
        runs: of the check.

    Raises:
        BadFileError: the surroundings of the training are stored and damaged.
        StorageError: the store cannot be reached.
    """
    written = Mask(known.target.get("mask", ())).data(dict(test.written))
    # A test of the user's starts its program itself, and the oracle remembers nothing.
    old = known.target or written
    settings = differing_keys(old, written, but=(*OF_PROGRAM, *_OF_MACHINE))
    remembered = (
        SurroundingsStore(workspace.store).load(known.test, known.run_ids[-1]) if known.run_ids else None
    )
    if remembered is None:
        return compared(None, None, settings)
    # What a test declares is a part of its program, of which each has its own.
    declared = {*old.get("environment", {}), *test.target.environment} - {*OF_JVM}
    has_own_tree = old.get("working-directory") != written.get("working-directory")

    def keep_shared(around: Surroundings) -> Surroundings:
        variables = {name: value for name, value in around.variables.items() if name not in declared}
        entries = {
            name: entry for name, entry in around.entries.items() if not has_own_tree or is_elsewhere(name)
        }
        return structs.replace(around, variables=variables, entries=entries)

    present = _around(workspace, test, known, runs, before=remembered)
    return compared(keep_shared(remembered), keep_shared(present), settings)


_HOME, _TEMPORARY = "system.property[user.home]", "system.property[java.io.tmpdir]"
"""Metadata that name directories which all launches of a user share."""

_END_S = 2.0
"""How long after its program's end a run may still write."""

_MOST_NAMED = 2


def remark_on_shared(launcher: Launcher, test: TestConfig, runs: Sequence[Run]) -> str | None:
    """Return a proposal if files around the project changed while it ran; None if none did."""
    if test.target.isolates_home or launcher.scheduler:
        return None
    here = (test.target.directory or Path()).absolute()
    workspace = launcher.workspace
    left_out = [str(here), str(workspace.base or here), *_of_buto(workspace, test.name, here)]
    return propose_isolation(runs, {**os.environ, **test.target.environment}, left_out)


def propose_isolation(
    runs: Sequence[Run], environment: Mapping[str, str], left_out: Collection[str]
) -> str | None:
    """Return a proposal if files in home or temporary directory changed during runs; None if none did.

    Another program of this user may have written them, so that it is only a hint.

    Args:
        environment: of the program.
        left_out: paths that are not looked at, as the project's.
    """
    homes, temporary = ({str(run.metadata.get(key, "")) for run in runs} for key in (_HOME, _TEMPORARY))
    homes.add(environment.get("HOME", ""))
    starts = [(start, run) for run in runs if (start := start_of(run.id)) is not None]
    times_s = [
        (start.timestamp(), start.timestamp() + run.outcome.duration_s + _END_S) for start, run in starts
    ]
    paths = find_changed_within(homes, temporary, times_s, left_out)
    if not paths:
        return None
    names = ", ".join(paths[:_MOST_NAMED])
    more = f" and {len(paths) - _MOST_NAMED} more" if len(paths) > _MOST_NAMED else ""
    return isolation(
        f"files outside of the project changed, by its launches or by other programs: {names}{more}"
    )


def _around(
    workspace: Workspace,
    test: TestConfig,
    known: Oracle,
    runs: Sequence[Run],
    before: Surroundings | None = None,
) -> Surroundings:
    target = test.target
    environment = {**os.environ, **target.environment}
    here = target.directory or Path()
    starts = [start for start in (start_of(run.id) for run in runs) if start is not None]
    began = min(starts, default=datetime.now(UTC))
    try:
        own = files_of(target.command, here, environment, test.inputs, workspace.base).files
    except UsageError:
        # Without its files they are candidates, too.
        own = {}
    return surroundings_of(
        target.command,
        target.directory,
        environment,
        target.environment,
        began_ns=round(began.timestamp() * 1e9),
        # What is only named as data and was written meanwhile is not kept.
        own=[path for path, is_data in own.items() if not (is_data and _is_newer(path, began))],
        left_out=_of_buto(workspace, test.name, here),
        mask=target.new_mask(),
        before=before,
        # A revision has all of its repository in a directory of its own.
        has_tree=not isinstance(known.program, Revision),
    )


def _is_newer(path: str, began: datetime) -> bool:
    try:
        return os.stat(path).st_mtime >= began.timestamp()
    except OSError:
        return False


def _of_buto(workspace: Workspace, test: str, here: Path) -> list[str]:
    """Return the paths of the stores, the oracles and the configuration."""
    places = [*workspace.own_directories]
    if workspace.base is not None:
        places.append(workspace.base / config.FILE_NAME)
    if workspace.oracle_of is not None:
        oracle = workspace.oracle_of(test).absolute()
        is_of_oracles = not here.absolute().is_relative_to(oracle.parent)
        stem = oracle.name.removesuffix(oracle.suffix)
        places += [oracle.parent] if is_of_oracles else [oracle, *oracle.parent.glob(f"{stem}.*.numbers")]
    return [os.path.normpath(path) for place in places for path in (place, place.resolve())]
