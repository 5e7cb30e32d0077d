"""Names in settings and trailers that match nothing, of which nobody else would hear.

A name is doubted only if the test's runs have no such property and buto knows none of this name: another JDK,
collector or machine may have it.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from buto.actions import git
from buto.actions.workspace import Workspace
from buto.errors import UsageError
from buto.judging.effects import MINIMUM_EFFECT
from buto.judging.settings import ALSO_JUDGED, Settings
from buto.judging.verdict import Waiver
from buto.judging.waivers import TRAILER
from buto.run.model import COMMIT, RunSet
from buto.run.names import encode_test
from buto.run.patterns import fits
from buto.run.properties import DURATION, LIVE_CLASSES, METRICS, split_name
from buto.steps import Action, Advice, Configuration, Step

BUDGET = "budget"

_WILD = re.compile(r"[*?]")
_BRACKET_OR_WILD = re.compile(r"[*?[]")


def settings_doubts(settings: Settings, budget: Mapping[str, str], runs: RunSet) -> Iterator[Advice]:
    """Yield a warning for each name of a property in the settings of a test that names none.

    Args:
        budget: of the test, by name or pattern.
        runs: of the test, which show what properties there are.
    """
    judged = settings.flat()
    effects = judged.get(MINIMUM_EFFECT)
    by_key = {
        f"judge: {MINIMUM_EFFECT}": effects if isinstance(effects, Mapping) else (),
        f"judge: {ALSO_JUDGED}": judged.get(ALSO_JUDGED) or (),
        BUDGET: budget,
    }
    known = names_of(runs)
    for key, names in by_key.items():
        for name in names:
            if is_unknown(str(name), known):
                fact = f"{key}: {name} names no property of this test, so it does nothing"
                yield Advice(f"{_guess(str(name), known)}correct it in ", Configuration(), fact=fact)


def trailer_doubts(
    workspace: Workspace, test: str, waivers: Sequence[Waiver], runs: RunSet
) -> Iterator[Advice]:
    """Yield a warning for each trailer that accepts nothing, as its test or its property does not exist."""
    known = names_of(runs)
    for waiver in waivers:
        commit = f"the {TRAILER} of {waiver.commit[:9]}"
        if waiver.test == test and is_unknown(waiver.subject, known):
            fact = f"{commit} accepts nothing: {test} has no property {waiver.subject}"
            yield Advice(f"{_guess(waiver.subject, known)}correct it: git commit --amend", fact=fact)
        elif waiver.test != test and not _is_test(workspace, waiver.test):
            fact = f"{commit} accepts nothing: no test is called {waiver.test!r}"
            yield Advice(f"{_guess(waiver.test, [test])}correct it: git commit --amend", fact=fact)


def commit_warning(test: str, commit: str, runs: RunSet) -> Advice | None:
    """Return a warning of training if its oracle knows no commit, though git does; None without any."""
    commits = {run.metadata.get(COMMIT) for run in runs}
    if commit or None in commits:
        return None
    why = "tracked files had uncommitted changes" if len(commits) == 1 else "the runs are of several commits"
    return Advice(
        "commit your files, then train again: ",
        Step(Action.TRAIN, test),
        fact=f"{why}, so the oracle knows no commit, and no {TRAILER} of a later commit counts",
    )


def names_of(runs: RunSet) -> list[str]:
    """Return the names of all that is judged of these runs."""
    return [*(prop.name for prop in runs.properties), DURATION.name, LIVE_CLASSES.name]


def is_unknown(pattern: str, known: Sequence[str]) -> bool:
    """Return whether a name or shell pattern fits none of these properties, and no other run may have it."""
    if any(name == pattern or fits(name, pattern) for name in known):
        return False
    metric, instance = split_name(pattern.replace("[[]", "["))
    found = METRICS.get(metric)
    if found is not None:
        is_one = instance in found.instances or (instance is not None and bool(_WILD.search(instance)))
        return bool(found.instances) and not is_one
    if not _WILD.search(pattern):
        return True
    # What a pattern begins with decides, for pools and collectors have many names.
    begin = _BRACKET_OR_WILD.split(pattern, maxsplit=1)[0]
    return not any(name.startswith(begin) for name in METRICS)


def _guess(name: str, known: Sequence[str]) -> str:
    near = difflib.get_close_matches(name, known, n=1)
    return f"did you mean {near[0]}? " if near else ""


def _is_test(workspace: Workspace, test: str) -> bool:
    """Return whether a test is known by this configuration, or by the oracles here or in the repository."""
    if test in workspace.windows:
        return True
    try:
        file = f"{encode_test(test)}.json"
        if workspace.oracle_of is not None and workspace.oracle_of(test).with_name(file).exists():
            return True
        repository = git.repository_of(workspace.root, "")
        return any(Path(path).name == file for path in git.paths(repository, "ls-files", "-z"))
    except UsageError:
        return False
