"""Bisecting: check the commits between a good and a bad one until the first bad one is found."""

from __future__ import annotations

import os
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path

from msgspec import Struct, structs

from buto.actions import git, worktrees
from buto.actions.base import Base
from buto.actions.decide import JudgedTest, decide, settle
from buto.actions.events import Event, Judged, Reporter, Told, Warned, ignore
from buto.actions.launcher import Launcher
from buto.actions.old_program import choose_old_program
from buto.actions.outcome import CallOutcome, conclude, keep
from buto.actions.plan import plan_check
from buto.actions.project import NO_OVERRIDES, Overrides, Project
from buto.actions.record import complete
from buto.actions.workspace import KnownOracle
from buto.actions.worktrees import Answer, at_revision, check_order, describe_commit, first_bad
from buto.errors import EXIT_PASS, ButoError, JudgeError, StorageError
from buto.judging.verdict import Status
from buto.programs.named import Revision, Unkept
from buto.project.model import TestConfig
from buto.report import phrases
from buto.report.result import Commit, Result
from buto.report.sanitize import one_line
from buto.run.units import format_count
from buto.steps import Action, Advice, Setting, Step

_ANSWERS = {Status.PASS: Answer.GOOD, Status.REGRESSION: Answer.BAD, Status.INCONCLUSIVE: Answer.SKIP}


class BisectRequest(Struct, frozen=True):
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


def bisect(project: Project, request: BisectRequest, reporter: Reporter = ignore) -> CallOutcome:
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
    action, name, launcher = Action.BISECT, request.test, project.launcher(reporter)
    known = project.load_known(name, action, request.overrides.alpha)
    # Only the commit that is found is worth an explanation, by itself and not for each bad one.
    test = replace(project.test(name, action, request.overrides, known.oracle), explains=False)
    chosen = choose_old_program(launcher.workspace, known.oracle, test).program
    if request.build and test.program is None and isinstance(chosen, Unkept):
        # What was trained on is built in place of the files that are missing, as all other commits are.
        test = replace(test, program=Revision("", request.build))
    otherwise = Advice(Step(Action.CHECK, name, plain=True), " judges the current files")
    repository = git.repository_of(project.files.root, otherwise)
    good, bad = (git.commit_of(repository, revision) for revision in (request.good, request.bad))
    check_order(repository, good, bad, Step(action, name, revisions=(request.bad, request.good)))
    _warn_of_what_never_changes(test, repository, reporter)
    launcher.report(
        Told("", _describe_range(int(git.output_of(repository, "rev-list", "--count", f"{good}..{bad}"))))
    )
    search = _Search(launcher, request, test, known, repository, good)
    search.expect(request.good, good, Answer.GOOD)
    search.expect(request.bad, bad, Answer.BAD)
    with worktrees.check_out(repository, good) as tree:
        suspects = first_bad(tree, good, bad, search.judge)
    if len(suspects) != 1:
        raise search.several([describe_commit(repository, commit) for commit in suspects])
    commit = describe_commit(repository, suspects[0])
    parent = search.results.get(git.output_of(repository, "rev-parse", f"{commit.name}^"))
    outcome = conclude(action, [search.results[commit.name]], exit_code=EXIT_PASS)
    outcome = replace(outcome, first_bad=commit, parent=parent)
    keep(launcher, outcome)
    return outcome


def _describe_range(n_commits: int) -> str:
    checks = format_count(max(0, (n_commits - 1).bit_length()), "check")
    return f"{format_count(n_commits, 'commit')} from GOOD to BAD, about {checks} after those of GOOD and BAD"


@dataclass(frozen=True)
class _Search:
    """Judges commits: by the oracle, and in turns with the good one if that does not clear them.

    Attributes:
        good: the commit that is known to be good.
        results: by commit, those of the commits that were judged.
    """

    launcher: Launcher
    request: BisectRequest
    test: TestConfig
    known: KnownOracle
    repository: Path
    good: str
    results: dict[str, Result] = field(default_factory=dict)

    def judge(self, commit: str) -> Answer:
        """Check a commit, and report the result."""
        of = describe_commit(self.repository, commit)
        self.launcher.report(Told("", f"{of.short}  {one_line(of.subject)}"))
        try:
            result = self._check(commit)
        except StorageError:
            raise
        except ButoError as error:
            result = Result(self.test.name, None, error=error)
        self.results[commit] = result
        answer = Answer.SKIP if result.verdict is None else _ANSWERS[result.verdict.status]
        self.launcher.report(Told("", f"{of.short}  {answer.value}: {_why(result)}"))
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
            raise JudgeError(
                f"{which} does not pass: {_why(result)}",
                advice=Advice(
                    "name an older commit, or give ",
                    Setting("oracle"),
                    " an oracle from the time when it passed",
                ),
            )
        raise JudgeError(
            f"{which} does not fail: {_why(result)}",
            advice="a failure only here comes from uncommitted files, ignored files or the machine",
        )

    def several(self, commits: list[Commit]) -> JudgeError:
        """Return the error for several commits of which all but one were skipped."""
        lines = [f"  {commit.short}  {one_line(commit.subject)}" for commit in commits]
        skipped = [self.results[commit.name] for commit in commits if commit.name in self.results]
        reasons = dict.fromkeys(
            _why(result).partition("\n")[0]
            for result in skipped
            if result.verdict is None or result.verdict.reasons
        )
        return JudgeError(
            "\n".join(["the first bad commit is one of these; all but one of them were skipped:", *lines])
            + f"\nskipped: {'; '.join(reasons)}",
            advice=Advice("a ", Setting("build"), " that also builds these would find it"),
        )

    def _check(self, commit: str) -> Result:
        known, build = self.known, self.request.build
        base = None if commit == self.good else self._good_program()
        with ExitStack() as stack:
            test = at_revision(self.launcher, self.test, commit, build, stack)
            case = plan_check(test, known, self.request.runs, purpose=Action.BISECT, base=base)
            (case,) = complete(self.launcher, [case])
            # Next steps must name these runs, not those of the newest check.
            ids = ",".join(run.id for run in case.valid())
            quiet = structs.replace(self.launcher, reporter=self._turns)
            with_training = self.request.with_training
            judged = JudgedTest(
                known, case.test, base, from_runs=ids, with_training=with_training, is_checked_out=True
            )
            checked = case.judged()
            return decide(quiet, judged, checked, settle(quiet, judged, checked))

    def _good_program(self) -> Base:
        """Return the good commit as the base of later ones: trailers up to it say nothing of these."""
        program = Revision(self.good, self.request.build or "")
        return Base(f"GOOD {self.good[:9]}", self.good, program, self.known.oracle.target)

    def _turns(self, event: Event) -> None:
        """Pass on what turns launch; the verdict is reported as that of its commit."""
        if not isinstance(event, Judged):
            self.launcher.report(event)


def _why(result: Result) -> str:
    """Return the result of a check in one line; for a failure, everything that is known."""
    if result.verdict is None:
        return "" if result.error is None else result.error.message
    reasons = "; ".join(result.verdict.reasons)
    verdict_text = phrases.headline(result.verdict)
    if result.verdict.status is Status.REGRESSION:
        return one_line(verdict_text)
    return one_line(f"{verdict_text}: {reasons}" if reasons else verdict_text)


def _warn_of_what_never_changes(test: TestConfig, repository: Path, reporter: Reporter) -> None:
    inside = f"{repository}{os.sep}"
    for word in test.target.command:
        if inside in word:
            text = (
                f"the command names {one_line(word)}, the same file here for every commit; "
                "use a path relative to the current directory for the file of each commit"
            )
            reporter(Warned(test.name, text))
