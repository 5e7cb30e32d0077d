"""Bisecting: check the commits between a good and a bad one until the first bad one is found."""

from __future__ import annotations

import os
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path

from buto.actions import git, worktrees
from buto.actions.advice import worded
from buto.actions.case import checked
from buto.actions.check import decide
from buto.actions.events import Event, Judged, OnEvent, Told, Warned, ignore
from buto.actions.outcome import Outcome, concluded, keep
from buto.actions.project import NO_OVERRIDES, Overrides, Project
from buto.actions.record import complete
from buto.actions.stored import Known, Site
from buto.actions.worktrees import Answer, at_revision, check_order, described, first_bad
from buto.errors import EXIT_PASS, ButoError, JudgeError, StorageError
from buto.judging.verdict import Status, grouped
from buto.programs.named import Revision
from buto.project.model import TestConfig
from buto.report import words
from buto.report.result import Commit, Result
from buto.report.sanitize import one_line
from buto.run.units import format_count
from buto.steps import Action, Step

_ANSWERS = {Status.PASS: Answer.GOOD, Status.REGRESSION: Answer.BAD, Status.INCONCLUSIVE: Answer.SKIP}


@dataclass(frozen=True, slots=True)
class BisectRequest:
    """What to search.

    Attributes:
        test: a test that has an oracle.
        good: a git revision at which it passes.
        bad: a later git revision at which it fails.
        overrides: what this call specifies of the test.
        build: the command that builds a commit before it is launched; None for none.
        runs, with_training: see :class:`buto.actions.check.CheckRequest`; ``runs`` are those of each commit.
    """

    test: str
    good: str
    bad: str
    overrides: Overrides = NO_OVERRIDES
    runs: int | None = None
    build: str | None = None
    with_training: bool = False


@worded
def bisect(project: Project, request: BisectRequest, on_event: OnEvent = ignore) -> Outcome:
    """Find the commit that made a test fail, in a temporary working tree.

    Returns:
        The result of the check of that commit, the commit as ``first_bad``, and the result of its parent.

    Raises:
        JudgeError: the good commit does not pass, the bad one does not fail, or only skipped commits
            are left.
        UsageError: a revision does not exist, or the revisions are in the wrong order.
        StorageError: the store cannot be written.
        Interrupted: Ctrl-C; runs that are complete stay.
    """
    action, name, site = Action.BISECT, request.test, project.site()
    known = project.known(name, action, request.overrides.alpha)
    # Only the commit that is found is worth an explanation, by itself and not for each bad one.
    test = replace(project.test(name, action, request.overrides, known.oracle), explains=False)
    check_here = site.door.step(Step(Action.CHECK, name, plain=True))
    repository = git.repository_of(project.files.root, f"{check_here} judges the current files")
    good, bad = (git.commit_of(repository, revision) for revision in (request.good, request.bad))
    check_order(repository, good, bad, Step(action, name, revisions=(request.bad, request.good)))
    _warn_of_what_never_changes(test, repository, on_event)
    on_event(Told("", _counted(int(git.output_of(repository, "rev-list", "--count", f"{good}..{bad}")))))
    search = _Search(site, request, test, known, repository, good, on_event)
    search.expect(request.good, good, Answer.GOOD)
    search.expect(request.bad, bad, Answer.BAD)
    with worktrees.checked_out(repository, good) as tree:
        found = first_bad(tree, good, bad, search.judge)
    if len(found) != 1:
        raise search.several([described(repository, commit) for commit in found])
    commit = described(repository, found[0])
    parent = search.results.get(git.output_of(repository, "rev-parse", f"{commit.name}^"))
    outcome = concluded(action, [search.results[commit.name]], exit_code=EXIT_PASS)
    outcome = replace(outcome, first_bad=commit, parent=parent)
    keep(site, outcome, on_event)
    return outcome


def _counted(n_commits: int) -> str:
    checks = format_count(max(0, (n_commits - 1).bit_length()), "check")
    return f"{format_count(n_commits, 'commit')} from GOOD to BAD, about {checks} after those of GOOD and BAD"


@dataclass(frozen=True)
class _Search:
    """Judges commits: by the oracle, and in turns with the good one if that does not clear them.

    Attributes:
        good: the commit that is known to be good.
        results: by commit, those of the commits that were judged.
    """

    site: Site
    request: BisectRequest
    test: TestConfig
    known: Known
    repository: Path
    good: str
    on_event: OnEvent
    results: dict[str, Result] = field(default_factory=dict)

    def judge(self, commit: str) -> Answer:
        """Check a commit, and report the result."""
        of = described(self.repository, commit)
        self.on_event(Told("", f"{of.short}  {one_line(of.subject)}"))
        try:
            result = self._checked(commit)
        except StorageError:
            raise
        except ButoError as error:
            result = Result(self.test.name, None, error=error)
        self.results[commit] = result
        answer = Answer.SKIP if result.verdict is None else _ANSWERS[result.verdict.status]
        self.on_event(Told("", f"{of.short}  {answer.value}: {_why(result)}"))
        return answer

    def expect(self, revision: str, commit: str, wanted: Answer) -> None:
        """Raise JudgeError if a commit is not as the user claims: then there is nothing to find."""
        answer = self.judge(commit)
        if answer is wanted:
            return
        which = f"{wanted.name} ({one_line(revision)}, {commit[:12]})"
        result = self.results[commit]
        if answer is Answer.SKIP:
            advice = None if result.error is None else result.error.advice
            raise JudgeError(f"{which} cannot be judged: {_why(result)}", advice=advice)
        if wanted is Answer.GOOD:
            oracle = self.site.door.name("oracle")
            raise JudgeError(
                f"{which} does not pass: {_why(result)}",
                advice=f"name an older commit, or give {oracle} an oracle from the time when it passed",
            )
        raise JudgeError(
            f"{which} does not fail: {_why(result)}",
            advice="a failure only here comes from uncommitted files, ignored files or the machine",
        )

    def several(self, commits: list[Commit]) -> JudgeError:
        """Return the error for several commits of which all but one were skipped."""
        lines = [f"  {one.short}  {one_line(one.subject)}" for one in commits]
        skipped = [self.results[one.name] for one in commits if one.name in self.results]
        reasons = dict.fromkeys(
            _why(one).partition("\n")[0] for one in skipped if one.verdict is None or one.verdict.reasons
        )
        return JudgeError(
            "\n".join(["the first bad commit is one of these; all but one of them were skipped:", *lines])
            + f"\nskipped: {'; '.join(reasons)}",
            advice=f"a {self.site.door.name('build')} that also builds these would find it",
        )

    def _checked(self, commit: str) -> Result:
        known, build = self.known, self.request.build
        if commit != self.good:
            known = replace(known, oracle=replace(known.oracle, program=Revision(self.good, build or "")))
        with ExitStack() as stack:
            test = at_revision(self.site, self.test, commit, build, stack, self.on_event)
            case = replace(checked(test, known, self.request.runs), purpose=Action.BISECT.value)
            (case,) = complete(self.site, [case], self.on_event)
            # Next steps must name these runs, not those of the newest check.
            ids = ",".join(run.id for run in case.valid())
            return decide(
                self.site,
                known,
                case.judged(),
                self._turns,
                test=case.test,
                from_runs=ids,
                with_training=self.request.with_training,
            )

    def _turns(self, event: Event) -> None:
        """Pass on what turns launch; the verdict is reported as that of its commit."""
        if not isinstance(event, Judged):
            self.on_event(event)


def _why(result: Result) -> str:
    """Return the result of a check in one line; for a failure, everything that is known."""
    if result.verdict is None:
        return "" if result.error is None else result.error.message
    reasons = "; ".join(result.verdict.reasons)
    groups = grouped(result.verdict.findings)
    worst = [f"{group.leading.subject} {words.change(group.leading)}" for group in groups[:1]]
    verdict_text = words.headline(result.verdict)
    if result.verdict.status is Status.REGRESSION:
        return one_line(f"{verdict_text}: {', '.join(worst)}")
    return one_line(f"{verdict_text}: {reasons}" if reasons else verdict_text)


def _warn_of_what_never_changes(test: TestConfig, repository: Path, on_event: OnEvent) -> None:
    inside = f"{repository}{os.sep}"
    for word in test.target.command:
        if inside in word:
            text = (
                f"the command names {one_line(word)}, the same file here for every commit; "
                "use a path relative to the current directory for the file of each commit"
            )
            on_event(Warned(test.name, text))
