"""``buto why``."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError, Namespace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from buto.cli import parsing
from buto.cli.console import Console, Verbosity
from buto.cli.events import EventPrinter
from buto.cli.output_files import write_file
from buto.cli.parsing import STDOUT
from buto.cli.programs import AGAINST, programs_of
from buto.cli.projects import overrides_of, project_of
from buto.errors import EXIT_PASS, UsageError
from buto.run.profiles import Kind

if TYPE_CHECKING:
    from buto.actions.compare import Program
    from buto.features.why.model import Explanation

_FILES = {
    "json": "the explanation as JSON",
    "html": "one page with flame graphs; it works without a network",
    "markdown": "Markdown for a comment on a pull request",
}
_MOST_PAIRS = 20
_PAIRS = 3


class WhyCommand:
    name: ClassVar[str] = "why"
    takes_command: ClassVar[bool] = True
    help: ClassVar[str] = """\
Name the code that makes a program use more: which method allocates, keeps, computes or starts it.

buto launches the old and the new program in turns, in random order, under the JVM's Flight Recorder, and
compares what their methods did. The findings of the newest check of NAME choose what is recorded. A method
is named as a cause if the evidence is strong; otherwise the three that rose most are shown as most likely.
No run is stored and no verdict changes, because a profiled program uses more than otherwise.

The old program is another test or command (--against, where NAME is the old one), a git revision
(--revisions), or the profile that buto train --profile has stored.

examples:
  buto why shop
  buto why shop --revisions v1.2 HEAD --build 'mvn -q package -DskipTests' --html why.html
  buto why old -- java -jar old.jar --against new -- java -jar new.jar
  buto why shop --stored --pairs 5 --kinds allocation,retention
"""

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("test", metavar="NAME", help="a test; with --against, the old program")
        parser.add_argument(
            AGAINST, metavar="NAME2", help="the new program; may follow the old one's command"
        )
        parser.add_argument(
            "--revisions", metavar=("OLD", "NEW"), nargs=2, help="compare two git revisions of NAME instead"
        )
        parser.add_argument(
            "--build", metavar="CMD", help="command that builds each revision before it is launched"
        )
        parser.add_argument(
            "--stored",
            action="store_true",
            help="compare with the stored profile of NAME (default without --against and --revisions)",
        )
        parser.add_argument(
            "--pairs",
            metavar="K",
            type=partial(parsing.count, most=_MOST_PAIRS, what="pairs"),
            default=_PAIRS,
            help=f"launches of each program; fewer than {_PAIRS} never name a cause (default: {_PAIRS})",
        )
        parser.add_argument(
            "--kinds",
            metavar="KIND,...",
            type=_kinds,
            default=(),
            help=f"what to record, of {', '.join(kind.value for kind in Kind)} (default: what the findings "
            "of the newest check need, or all that Flight Recorder knows)",
        )
        parser.add_argument(
            "--profiler",
            metavar="PATH",
            type=Path,
            help="async-profiler, for native memory, and for processor time on Java 17",
        )
        parsing.add_options(parser, self.name)
        group = parser.add_argument_group("reports", "FILE may be - for standard output")
        for name, meaning in _FILES.items():
            group.add_argument(f"--{name}", metavar="FILE", type=Path, help=f"write {meaning}")

    def run(self, args: Namespace, console: Console) -> int:
        from buto.features.why.action import WhyRequest, why
        from buto.features.why.report import explanation_lines

        if sum(getattr(args, name) == STDOUT for name in _FILES) > 1:
            raise UsageError(
                "only one report can go to standard output", advice="give file names instead of -"
            )
        request = WhyRequest(
            test=args.test,
            programs=_programs(args),
            overrides=overrides_of(args),
            pairs=args.pairs,
            build=args.build,
            kinds=args.kinds,
            profiler=args.profiler,
        )
        explanation = why(project_of(args), request, EventPrinter(console))
        for line in explanation_lines(explanation, full=console.verbosity is Verbosity.VERBOSE):
            console.result(line)
        _write(explanation, args, console)
        return EXIT_PASS


def _programs(args: Namespace) -> tuple[Program, Program] | None:
    """Return the two programs that were typed; None for the stored profile.

    Raises:
        UsageError: both were asked for.
    """
    names_two = args.against is not None or args.revisions is not None or AGAINST in (args.command or ())
    if names_two and args.stored:
        raise UsageError("--stored excludes a second program", advice="buto why --help")
    if not names_two and args.build is not None:
        raise UsageError("--build needs --revisions", advice="buto why --help")
    return programs_of(args) if names_two else None


def _kinds(text: str) -> tuple[Kind, ...]:
    known = {kind.value: kind for kind in Kind}
    words = [word.strip() for word in text.split(",")]
    unknown = [word for word in words if word not in known]
    if unknown:
        raise ArgumentTypeError(f"each kind must be one of {', '.join(known)}, got {unknown[0]!r}")
    return tuple(dict.fromkeys(known[word] for word in words))


def _write(explanation: Explanation, args: Namespace, console: Console) -> None:
    # Each of them needs imports that the others do not need.
    for name in _FILES:
        path: Path | None = getattr(args, name)
        if path is None:
            continue
        match name:
            case "json":
                from buto.features.why.report import explanation_json

                content = explanation_json(explanation)
            case "html":
                from buto.features.why.report import explanation_page

                content = explanation_page(explanation)
            case _:
                from buto.features.why.report import explanation_markdown

                content = explanation_markdown(explanation)
        write_file(path, content.encode(), f"--{name}")
        if path != STDOUT:
            console.detail(f"wrote {path}")


COMMAND = WhyCommand()
