"""The builds of tests, from their stored results and the commits of git."""

from __future__ import annotations

from collections.abc import Sequence

from buto.actions import git
from buto.actions.commit_programs import builds_in
from buto.actions.project import Project
from buto.errors import BadFileError, UsageError
from buto.judging.effects import MINIMUM_EFFECT
from buto.report.builds import BuildHistory, Release, past_of
from buto.report.history import load_entries
from buto.report.result import Commit
from buto.run.entries import ResultStore
from buto.run.patterns import fits
from buto.steps import Action, Advice, Step


def pasts(project: Project, tests: Sequence[str] = ()) -> list[BuildHistory]:
    """Return the builds of tests, in the order of the branch that is checked out; else of time.

    Args:
        tests: empty for all that have results in the store.

    Raises:
        BadFileError: there are no results, or one is damaged.
        UsageError: a size of the configuration has another unit than its property.
    """
    store = ResultStore(project.files.store)
    names = list(tests) or store.tests()
    entries = {name: load_entries(store, name) for name in names}
    lacking = [name for name, own_entries in entries.items() if not own_entries]
    if lacking or not names:
        what = repr(lacking[0]) if lacking else "any test"
        check = Step(Action.CHECK, lacking[0] if lacking else "", plain=True)
        raise BadFileError(f"{store.root} holds no results of {what}", advice=Advice(check))
    history, tags = _find_known_to_git(project)
    return [
        past_of(name, own_entries, history, _releases(project, name, tags), _minimum(project, name))
        for name, own_entries in entries.items()
    ]


def _releases(project: Project, test: str, tags: Sequence[Release]) -> list[Release]:
    """Return the releases of a test: those that were named, and the tags that its pattern chooses, or all."""
    configured = project.find_test(test)
    pattern = "" if configured is None else configured.release
    chosen = [tag for tag in tags if not pattern or fits(tag.name, pattern)]
    named = builds_in(project.workspace()).of(test).values()
    known = {release.name for release in chosen}
    own = {
        program.release: program.commit
        for program in named
        if program.release and program.release not in known
    }
    return [*chosen, *(Release(name, commit) for name, commit in own.items())]


def _find_known_to_git(project: Project) -> tuple[list[Commit], list[Release]]:
    """Return the commits of the branch and the tags; empty without git, which a history can do without."""
    try:
        repository = git.repository_of(project.files.root, "")
        return git.history_of(repository), git.tags_of(repository)
    except UsageError:
        return [], []


def _minimum(project: Project, test: str) -> dict[str, str]:
    configured = project.find_test(test)
    return {} if configured is None else dict(configured.settings.own().get(MINIMUM_EFFECT, {}))
