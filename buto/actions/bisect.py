"""Bisecting: check the commits between a good and a bad one until the first bad one is found."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from pathlib import Path

from buto.actions import git, worktrees
from buto.actions.advice import worded
from buto.actions.case import checked
from buto.actions.check import Outcome, concluded, decide
from buto.actions.compare import two_revisions
from buto.actions.events import (
    BuildStarted,
    CommitJudged,
    CommitReached,
    CommitsCounted,
    OnEvent,
    Warned,
    ignore,
)
from buto.actions.labels import label_bisected
from buto.actions.project import NO_OVERRIDES, Overrides, Project
from buto.actions.record import complete
from buto.actions.why import WhyRequest, why
from buto.actions.worktrees import Answer, check_order, described, first_bad, move_to
from buto.causes.model import Explanation, kinds_of
from buto.errors import EXIT_PASS, ButoError, JudgeError, StorageError
from buto.judging.verdict import Status, grouped
from buto.oracle import Oracle
from buto.project.model import TestConfig
from buto.report import words
from buto.report.result import Commit, Result
from buto.report.sanitize import one_line
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
        runs: how many runs of each commit to judge together; None for one, and two more if it does not pass.
        build: the command that builds a commit before it is launched; None for none.
        with_training: see :class:`buto.actions.check.CheckRequest`.
        explain: whether the commit that is found and its parent are then profiled, to name the code.
    """

    test: str
    good: str
    bad: str
    overrides: Overrides = NO_OVERRIDES
    runs: int | None = None
    build: str | None = None
    with_training: bool = False
    explain: bool = True


@worded
def bisect(project: Project, request: BisectRequest, on_event: OnEvent = ignore) -> Outcome:
    """Find the commit that made a test fail, in a temporary working tree.

    Returns:
        The result of the check of that commit, the commit as ``first_bad``, and what it uses more of than
        its parent as ``explanation``.

    Raises:
        JudgeError: the good commit does not pass, the bad one does not fail, or only skipped commits
            are left.
        UsageError: a revision does not exist, or the revisions are in the wrong order.
        StorageError: the store cannot be written.
        Interrupted: Ctrl-C; runs that are complete stay.
    """
    action, name = Action.BISECT, request.test
    known = project.oracle(name, action, request.overrides.alpha)
    test = project.test(name, action, request.overrides, known)
    here = (test.target.directory or Path()).resolve()
    check_here = project.door.step(Step(Action.CHECK, name, plain=True))
    repository = git.repository_of(project.files.root, f"{check_here} judges the current files")
    good, bad = (git.commit_of(repository, revision) for revision in (request.good, request.bad))
    swapped = Step(Action.BISECT, name, revisions=(request.bad, request.good))
    check_order(repository, good, bad, swapped)
    _warn_of_what_never_changes(test, repository, on_event)
    on_event(CommitsCounted(int(git.output_of(repository, "rev-list", "--count", f"{good}..{bad}"))))
    with worktrees.checked_out(repository, good) as tree:
        search = _Search(project, request, test, known, repository, here, tree, on_event)
        search.expect(request.good, good, Answer.GOOD)
        move_to(tree, bad)
        search.expect(request.bad, bad, Answer.BAD)
        found = first_bad(tree, good, bad, search.judge)
    if len(found) != 1:
        raise _several(project, [described(repository, commit) for commit in found], search)
    commit = described(repository, found[0])
    result = search.results[commit.name]
    label_bisected(project, commit, result, search.parent_of(commit), on_event)
    explanation = _explained(project, request, repository, commit, result, on_event)
    outcome = concluded(action, [result], exit_code=EXIT_PASS, first_bad=commit)
    return replace(outcome, explanation=explanation)


@dataclass(frozen=True)
class _Search:
    """Judges commits in a temporary working tree.

    Attributes:
        here: where the program is launched, in the repository.
        tree: the working tree, which is at the commit that is judged.
        results: by commit, those of the commits that were judged.
    """

    project: Project
    request: BisectRequest
    test: TestConfig
    known: Oracle
    repository: Path
    here: Path
    tree: Path
    on_event: OnEvent
    results: dict[str, Result] = field(default_factory=dict)

    def judge(self, commit: str) -> Answer:
        """Check the commit that is checked out in the tree, and report the result."""
        of = described(self.repository, commit)
        self.on_event(CommitReached(of))
        try:
            result = self._checked(commit)
        except StorageError:
            raise
        except ButoError as error:
            result = Result(self.test.name, None, error=error)
        self.results[commit] = result
        answer = Answer.SKIP if result.verdict is None else _ANSWERS[result.verdict.status]
        self.on_event(CommitJudged(of, answer.value, _why(result)))
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
            oracle = self.project.door.name("oracle")
            raise JudgeError(
                f"{which} does not pass: {_why(result)}",
                advice=f"name an older commit, or give {oracle} an oracle from the time when it passed",
            )
        raise JudgeError(
            f"{which} does not fail: {_why(result)}",
            advice="a failure only here comes from uncommitted files, ignored files or the machine",
        )

    def parent_of(self, commit: Commit) -> Result | None:
        """Return the result of the parent of a commit that was judged; None if the parent was not judged."""
        return self.results.get(git.output_of(self.repository, "rev-parse", f"{commit.name}^"))

    def _checked(self, commit: str) -> Result:
        if self.request.build is not None:
            self.on_event(BuildStarted(self.request.build, commit))
            worktrees.run_build(self.request.build, worktrees.same_place(self.tree, self.repository, Path()))
        # After the build, which may create the directory.
        directory = worktrees.same_place(self.tree, self.repository, self.here)
        test = replace(self.test, target=replace(self.test.target, directory=directory))
        case = replace(checked(test, self.known, self.request.runs), purpose=Action.BISECT.value)
        case = complete(self.project, [case], self.on_event)[test.name]
        checked_runs = case.judged()
        # Next steps must name these runs, not those of the newest check.
        ids = ",".join(run.id for run in case.valid())
        return decide(self.project, checked_runs, from_runs=ids, with_training=self.request.with_training)


def _explained(
    project: Project,
    request: BisectRequest,
    repository: Path,
    commit: Commit,
    result: Result,
    on_event: OnEvent,
) -> Explanation | None:
    """Compare the commit that was found with its parent; None, and a warning, if they cannot be profiled."""
    if not request.explain:
        return None
    findings = () if result.verdict is None else result.verdict.findings
    subjects = [one.subject for group in grouped(findings) for one in group.findings]
    try:
        parent = git.output_of(repository, "rev-parse", f"{commit.name}^")
        revisions = (parent[: len(commit.short)], commit.short)
        asked = WhyRequest(
            request.test,
            two_revisions(request.test, revisions, request.overrides.command),
            request.overrides,
            build=request.build,
            kinds=kinds_of(subjects),
        )
        return why(project, asked, on_event)
    except ButoError as error:
        on_event(Warned(request.test, f"which code did it is not known: {error.message.splitlines()[0]}"))
        return None


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


def _several(project: Project, commits: list[Commit], search: _Search) -> JudgeError:
    lines = [f"  {one.short}  {one_line(one.subject)}" for one in commits]
    skipped = [search.results[one.name] for one in commits if one.name in search.results]
    reasons = dict.fromkeys(
        _why(one).partition("\n")[0] for one in skipped if one.verdict is None or one.verdict.reasons
    )
    return JudgeError(
        "\n".join(["the first bad commit is one of these; all but one of them were skipped:", *lines])
        + f"\nskipped: {'; '.join(reasons)}",
        advice=f"a {project.door.name('build')} that also builds these would find it",
    )
