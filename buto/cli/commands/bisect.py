"""``buto bisect``."""

from __future__ import annotations

import os
from argparse import ArgumentParser, Namespace
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import ClassVar

from buto.cli import chosen
from buto.cli.commands.check import measured
from buto.cli.judged import judged, tell
from buto.cli.parsing import options
from buto.cli.printing import report_files as reports
from buto.cli.printing.console import Console
from buto.config import TestConfig
from buto.errors import EXIT_PASS, ButoError, JudgeError, StorageError
from buto.oracle import Oracle
from buto.report import words
from buto.report.result import Commit, Result
from buto.report.sanitize import one_line
from buto.units import format_count
from buto.verdicts import Status
from buto.workflow.git import commands as git
from buto.workflow.git import worktrees
from buto.workflow.git.bisection import Outcome, check_order, described, first_bad, move_to

_OUTCOMES = {Status.PASS: Outcome.GOOD, Status.REGRESSION: Outcome.BAD, Status.INCONCLUSIVE: Outcome.SKIP}
_REPORTS = ("json", "html", "markdown")


class BisectCommand:
    name: ClassVar[str] = "bisect"
    takes_command: ClassVar[bool] = True
    help: ClassVar[str] = """\
Find the commit that made a test fail: git bisect, with check as its judge.

The commits between GOOD and BAD are checked out one after another into a temporary working tree,
built there with --build, launched there, and judged by the oracle that lies here. A pass is good, a
regression bad; a commit that cannot be built, measured or judged is skipped. First it is made sure
that GOOD passes and BAD fails. The files here, and a git bisect of your own, are left alone.

The exit code is 0 if the commit is found, else 3.

examples:
  buto bisect shop v1.2 HEAD --build 'mvn -q package -DskipTests'
  buto bisect shop HEAD~20 HEAD --runs 3 --html report.html
  buto bisect shop v1.2 HEAD --build 'javac -d out Main.java' -- java -Xmx64m -cp out Main
"""

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("test", metavar="NAME", help="the test, which has an oracle")
        parser.add_argument("good", metavar="GOOD", help="a git revision at which it passes")
        parser.add_argument("bad", metavar="BAD", help="a later one, at which it fails")
        parser.add_argument(
            "--build", metavar="CMD", help="what to do in each commit before the test is launched"
        )
        parser.add_argument(
            "--runs",
            metavar="K",
            type=options.count,
            help="runs of each commit to judge together (default: 1, and 2 more if it stands out)",
        )
        options.add_alpha_option(parser)
        options.add_target_options(parser)
        options.add_file_options(parser)
        reports.add_report_options(parser, _REPORTS)

    def run(self, args: Namespace, console: Console) -> int:
        reports.check_paths(args)
        configured = chosen.read_config(args)
        known = chosen.the_oracle(args, args.test, configured)
        test = chosen.test_for(args.test, args, configured, known)
        here = (test.target.directory or Path()).resolve()
        repository = git.repository_of(chosen.root(args), f"buto check {args.test} judges what lies here")
        good, bad = (git.commit_of(repository, revision) for revision in (args.good, args.bad))
        check_order(repository, good, bad)
        _warn_of_what_never_changes(test, repository, console)
        n_commits = int(git.said(repository, "rev-list", "--count", f"{good}..{bad}"))
        console.info(
            f"{format_count(n_commits, 'commit')} from GOOD to BAD, "
            f"about {format_count(max(0, (n_commits - 1).bit_length()), 'check')} after those of these two"
        )
        with worktrees.checked_out(repository, good) as tree:
            search = _Search(test, known, repository, here, tree, args, console)
            search.expect(args.good, good, Outcome.GOOD)
            move_to(tree, bad)
            search.expect(args.bad, bad, Outcome.BAD)
            found = first_bad(tree, good, bad, search.judge)
        if len(found) != 1:
            raise _several([described(repository, commit) for commit in found], search)
        return _told(described(repository, found[0]), search.results[found[0]], args, console)


@dataclass(frozen=True)
class _Search:
    """Judges commits in a temporary working tree.

    Attributes:
        here: where the program is launched, in the repository.
        tree: the working tree, which is at the commit that is judged.
        results: by commit, those of the commits that were judged.
    """

    test: TestConfig
    known: Oracle
    repository: Path
    here: Path
    tree: Path
    args: Namespace
    console: Console
    results: dict[str, Result] = field(default_factory=dict)

    def judge(self, commit: str) -> Outcome:
        """Check the commit that the tree is at, and say what came of it."""
        of = described(self.repository, commit)
        self.console.info(f"{of.short}  {one_line(of.subject)}")
        try:
            result = self._checked()
        except StorageError:
            raise
        except ButoError as error:
            result = Result(self.test.name, None, error=error)
        self.results[commit] = result
        outcome = Outcome.SKIP if result.verdict is None else _OUTCOMES[result.verdict.status]
        self.console.info(f"{of.short}  {outcome.value}: {_why(result)}")
        return outcome

    def expect(self, revision: str, commit: str, wanted: Outcome) -> None:
        """JudgeError where a commit is not what the user says that it is; then there is nothing to find."""
        outcome = self.judge(commit)
        if outcome is wanted:
            return
        which = f"{wanted.name} ({one_line(revision)}, {commit[:12]})"
        result = self.results[commit]
        if outcome is Outcome.SKIP:
            advice = None if result.error is None else result.error.advice
            raise JudgeError(f"{which} cannot be judged: {_why(result)}", advice=advice)
        if wanted is Outcome.GOOD:
            raise JudgeError(
                f"{which} does not pass: {_why(result)}",
                advice="name an older commit, or with --oracle an oracle of the time at which it passed",
            )
        raise JudgeError(
            f"{which} does not fail: {_why(result)}",
            advice="what fails only here is not committed, or ignored by git, or comes from the machine",
        )

    def _checked(self) -> Result:
        if self.args.build is not None:
            self.console.detail(f"building: {self.args.build}")
            worktrees.build(self.args.build, worktrees.same_place(self.tree, self.repository, Path()))
        # Only now: the directory may be one that is built.
        directory = worktrees.same_place(self.tree, self.repository, self.here)
        test = replace(self.test, target=replace(self.test.target, directory=directory))
        collected = measured([test], {test.name: self.known}, self.args, self.console)[test.name]
        if collected.failure is not None:
            raise collected.failure
        # For what is to be typed next: these runs are meant, not those of the newest check.
        ids = ",".join(run.id for run in collected.valid())
        return judged(self.known, collected.runs, Namespace(**vars(self.args), from_runs=ids))


def _why(result: Result) -> str:
    """What came of a check, in a line; of a failure all that is known."""
    if result.verdict is None:
        return "" if result.error is None else result.error.message
    reasons = "; ".join(result.verdict.reasons)
    worst = [f"{one.subject} {words.change(one)}" for one in result.verdict.findings[:1]]
    said = words.headline(result.verdict)
    if result.verdict.status is Status.REGRESSION:
        return one_line(f"{said}: {', '.join(worst)}")
    return one_line(f"{said}: {reasons}" if reasons else said)


def _warn_of_what_never_changes(test: TestConfig, repository: Path, console: Console) -> None:
    inside = f"{repository}{os.sep}"
    for word in test.target.command:
        if inside in word:
            console.warning(
                f"the command names {one_line(word)}, which is a file here and the same for every commit; "
                "a path from the current directory would be that of the commit"
            )


def _several(commits: list[Commit], search: _Search) -> JudgeError:
    lines = [f"  {one.short}  {one_line(one.subject)}" for one in commits]
    skipped = [search.results[one.name] for one in commits if one.name in search.results]
    reasons = dict.fromkeys(
        _why(one).partition("\n")[0] for one in skipped if one.verdict is None or one.verdict.reasons
    )
    return JudgeError(
        "\n".join(["the first bad commit is one of these, of which all but one were skipped:", *lines])
        + f"\nskipped: {'; '.join(reasons)}",
        advice="a --build that also builds these would tell",
    )


def _told(commit: Commit, result: Result, args: Namespace, console: Console) -> int:
    """Say which commit it is, what convicts it, and write the reports of that check."""
    console.result(f"FIRST BAD  {result.test}: {commit.name}")
    console.result(f"  {one_line(commit.subject)}")
    console.result(f"  {one_line(commit.author)}, {commit.date}")
    tell(result, console)
    reports.write_reports(reports.finished([result], args, EXIT_PASS, first_bad=commit), args, console)
    return EXIT_PASS


COMMAND = BisectCommand()
