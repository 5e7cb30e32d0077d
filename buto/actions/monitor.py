"""The monitor over builds: which stored first runs belong together, and what its alarms became.

Those of the main branch, since the training of this oracle, in its environment, of commits without changes,
in the order of the commits. Runs of pull requests and of other branches are of commits that the branch does
not have. An alarm that turns have cleared is remembered in the store: its window and the turns are then what
later builds are compared with.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from typing import Annotated, ClassVar

import numpy as np
from msgspec import Meta, Struct, structs

from buto.actions import git
from buto.actions.branches import is_on_main
from buto.actions.events import Reporter, Told
from buto.actions.plan import LookOverBuilds
from buto.actions.stored import TURNS
from buto.actions.workspace import Workspace
from buto.errors import UsageError
from buto.judging.classifiers import compare_metadata
from buto.judging.monitor import MOST_KNOWN, WINDOWS, Alarm, Build, BuildSeries, OverBuilds, in_order, look
from buto.judging.verdict import Status
from buto.oracle import CheckedRuns, Oracle
from buto.programs.named import to_data
from buto.report.result import Commit
from buto.run.entries import EntryStore
from buto.run.format import Head
from buto.run.model import COMMIT, PURPOSE, SESSION, MetadataValue, Run
from buto.run.properties import property_for
from buto.run.stored import Number, parse_json, plain, read
from buto.run.window import cut_to_window
from buto.steps import Action, Step

FORMAT = "buto-alarm"
VERSION = 1

_MOST_SHOWN = 5
_MOST_BUILDS = MOST_KNOWN + max(WINDOWS)


def watch_builds(workspace: Workspace, known: Oracle, reporter: Reporter) -> LookOverBuilds | None:
    """Return what looks at the builds of a test with the next first run; None where no builds are compared.

    Whatever is missing ends no check: the monitor is evidence on top.
    """
    if known.fitted.over_builds() is None:
        return None
    try:
        repository = git.repository_of(workspace.root, "")
        if not is_on_main(repository, os.environ):
            reporter(Told(known.test, "not of the main branch: no builds are compared", detail=True))
            return None
        history = git.history_of(repository)
    except UsageError:
        # Without git there are no builds, which needs no words.
        return None
    if git.is_shallow(repository):
        text = f"only the builds of {len(history)} commits are compared, in a clone without history"
        reporter(Told(known.test, f"{text}: {git.FETCH}", detail=True))

    def look_over_builds(oracle: Oracle, run: Run) -> Alarm | None:
        over = oracle.fitted.over_builds()
        if over is None or not history or run.metadata.get(COMMIT) != history[-1].name:
            return None
        alarm = look(series_of(workspace, oracle, over, run, [commit.name for commit in history]))
        return None if alarm is None else structs.replace(alarm, commits=_between(alarm, oracle, history))

    return look_over_builds


def series_of(
    workspace: Workspace, known: Oracle, over: OverBuilds, run: Run, history: Sequence[str]
) -> BuildSeries:
    """Return the builds of the branch with a first run, which is not stored as a build of its own again."""
    order = {commit: place for place, commit in enumerate(history)}
    heads = [
        summary.head
        for summary in workspace.runs.summaries(known.test)
        if summary.head is not None
        and _is_build(summary.head, known)
        and summary.head.metadata.get(COMMIT) in order
    ]
    heads.sort(key=lambda head: order[str(head.metadata[COMMIT])])
    ids = [head.id for head in heads if head.id != run.id][-_MOST_BUILDS:]
    stored = workspace.load(known.test, sorted(ids)) if ids else []
    runs = [*(stored_run for stored_run in stored if is_alike(stored_run, known)), run]
    builds = in_order(
        [over.build(cut_to_window(stored_run), str(stored_run.metadata[COMMIT])) for stored_run in runs],
        history,
    )
    series = structs.replace(over.series, builds=builds)
    for alarm in AlarmStore(workspace.store).of(known):
        # The check of a commit that is looked at again finds its own alarm again.
        if alarm.status == Status.REGRESSION.value and builds[-1].key != alarm.at:
            series = series.without(alarm.since[0], alarm.at)
        if alarm.status == Status.PASS.value:
            at_hand = set(workspace.runs.ids(known.test))
            turned = workspace.load(known.test, [run_id for run_id in alarm.turns if run_id in at_hand])
            values = [over.measure(cut_to_window(launch)) for launch in turned]
            width = len(series.quantities)
            series = series.clear(alarm.first, alarm.at, np.array(values).reshape(len(values), width))
    return series


def _is_build(head: Head, known: Oracle) -> bool:
    """Return whether a stored run is the first one of a check since the training."""
    return is_first_of_check(head) and head.quality.valid and head.id > max(known.run_ids, default="")


def is_first_of_check(head: Head) -> bool:
    metadata = head.metadata
    return metadata.get(PURPOSE) == Action.CHECK.value and metadata.get(SESSION, head.id) == head.id


def is_alike(run: Run, known: Oracle) -> bool:
    """Return whether a run is of the environment of the training."""
    return not any(
        difference.deciding
        for difference in compare_metadata(known.environment, run.metadata, known.metadata)
    )


def _between(alarm: Alarm, known: Oracle, history: Sequence[Commit]) -> tuple[str, ...]:
    """Return the commits among which the first one with the change is, in words, oldest first."""
    names = [commit.name for commit in history]
    before = alarm.before.commit if alarm.before is not None else known.commit
    first = names.index(before) + 1 if before in names else names.index(alarm.since.commit)
    some = history[first : names.index(alarm.since.commit) + 1]
    texts = [f"{commit.name[:9]} {commit.subject} ({commit.author.partition(' <')[0]})" for commit in some]
    left = len(texts) - _MOST_SHOWN
    return (*texts[: _MOST_SHOWN - 1], f"{left + 1} more", texts[-1]) if left > 0 else tuple(texts)


_Id = Annotated[str, Meta(min_length=1, max_length=64)]


class StoredAlarm(Struct, frozen=True):
    """An alarm, and what turns said of it.

    Attributes:
        program: the old program, as text; an alarm of another one says nothing any more.
        session: the id of the first run of the check that was alarmed.
        first, at: ids of the first runs of the first and the last build of its window.
        status: of the verdict by turns.
        turns: ids of the runs of the present program in these turns.
        since, before: each the id of the first run and the commit of a build; ``before`` may be empty.
    """

    format: str
    version: int
    program: str
    session: _Id
    first: _Id
    at: _Id
    status: str
    turns: tuple[_Id, ...]
    since: tuple[str, str]
    before: tuple[str, str]
    quantity: str
    window: Annotated[int, Meta(ge=1, le=1000)]
    old: Number
    new: Number
    p_value: Annotated[float, Meta(ge=0, le=1)]
    n_before: Annotated[int, Meta(ge=0)]
    commits: tuple[str, ...]

    def alarm(self) -> Alarm:
        """Return the alarm as it was raised, without the values of its builds."""
        nothing = np.empty(0)
        since, before = (Build(key, commit, nothing) for key, commit in (self.since, self.before))
        numbers = (self.old, self.new, self.p_value, self.n_before)
        quantity = property_for(self.quantity)
        return Alarm(
            self.window,
            self.first,
            self.at,
            since,
            before if before.key else None,
            quantity,
            *numbers,
            self.commits,
        )


class AlarmStore(EntryStore):
    """The alarms in one store, see :class:`buto.run.entries.EntryStore`."""

    kind: ClassVar[str] = "alarms"
    noun: ClassVar[str] = "alarm"
    loss: ClassVar[str] = "turns may be launched once more"
    max_bytes: ClassVar[int] = 1 << 16

    def of(self, known: Oracle) -> list[StoredAlarm]:
        """Return the alarms of an oracle's program, oldest first; BadFileError if one is damaged."""
        stored = []
        for name in self.all(known.test):
            with self.reading(known.test, name) as content:
                alarm = read(parse_json(content), StoredAlarm)
                if alarm.format != FORMAT or alarm.version > VERSION:
                    raise ValueError(f"it is not a {FORMAT} of version {VERSION}")
            stored.append(alarm)
        return [stored_alarm for stored_alarm in stored if stored_alarm.program == _program(known)]


def remember_alarm(workspace: Workspace, known: Oracle, alarm: Alarm | None, decided: CheckedRuns) -> None:
    """Remember what turns said of an alarm.

    Args:
        decided: by the turns.

    Raises:
        StorageError: the store cannot be written.
    """
    if alarm is None or not len(decided.runs):
        return
    runs = decided.runs.runs
    before = ("", "") if alarm.before is None else (alarm.before.key, alarm.before.commit)
    stored = StoredAlarm(
        FORMAT,
        VERSION,
        _program(known),
        _session(runs[0]),
        alarm.first,
        alarm.last,
        decided.verdict.status.value,
        tuple(run.id for run in runs if run.metadata.get(PURPOSE) == TURNS and run.quality.valid),
        (alarm.since.key, alarm.since.commit),
        before,
        alarm.quantity.name,
        alarm.window,
        alarm.old,
        alarm.new,
        alarm.p_value,
        alarm.n_before,
        alarm.commits,
    )
    AlarmStore(workspace.store).add(known.test, json.dumps(plain(stored)).encode())


def search_step(known: Oracle, alarm: Alarm) -> tuple[Step, ...]:
    """Return the search for the commit of an alarm that turns confirmed; none if no good commit is known."""
    good = known.commit if alarm.before is None else alarm.before.commit
    if not good or len(alarm.commits) == 1:
        return ()
    why = "finds the commit among those since the last build that was like the others"
    return (Step(Action.BISECT, known.test, revisions=(good[:12], alarm.since.commit[:12]), why=why),)


def recall_alarm(workspace: Workspace, checked: CheckedRuns) -> CheckedRuns:
    """Return runs of a check that was alarmed with its alarm, so that its turns are looked at again."""
    if not len(checked.runs):
        return checked
    session = _session(checked.runs.runs[0])
    ours = [alarm for alarm in AlarmStore(workspace.store).of(checked.oracle) if alarm.session == session]
    return checked.with_alarm(ours[-1].alarm()) if ours else checked


def _session(run: Run) -> str:
    session: MetadataValue = run.metadata.get(SESSION, run.id)
    return str(session)


def _program(known: Oracle) -> str:
    return json.dumps(to_data(known.program), sort_keys=True)
