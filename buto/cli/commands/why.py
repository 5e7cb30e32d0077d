"""Name the code that makes a program use more: which method allocates, keeps, computes or starts it.

buto launches the old and the new program in turns, in random order, under the JVM's Flight Recorder, and
compares what their methods did. The findings of the newest check of NAME choose what is recorded. A method
is named as a cause if the evidence is strong; otherwise the three that rose most are shown as most likely.
No run is stored and no verdict changes, because a profiled program uses more than otherwise.

The old program is another test or command (--against, where NAME is the old one), a git revision
(--revisions), or by default the program that the training kept, or its profile, if buto train --profile has
stored one.

examples:
  buto why shop
  buto why shop --revisions v1.2 HEAD --build 'mvn -q package -DskipTests' --html why.html
  buto why old -- java -jar old.jar --against new -- java -jar new.jar
  buto why shop --pairs 5 --kinds allocation,retention
"""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError, Namespace
from functools import partial

from buto.causes.profiles import ProfileKind
from buto.cli import parsing
from buto.cli.console import Console, Verbosity
from buto.cli.output_files import write_file
from buto.cli.projects import AGAINST, add_two_programs, overrides_of, printer_for, programs_of, project_of
from buto.errors import EXIT_PASS, UsageError

_MOST_PAIRS = 20
_PAIRS = 3


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("test", metavar="NAME", help="a test; with --against, the old program")
    add_two_programs(parser, "NAME2")
    parsing.declare(
        parser,
        f"--pairs K  launches of each program; fewer than {_PAIRS} never name a cause (default: {_PAIRS})",
        f"--kinds KIND,...  what to record, of {', '.join(kind.value for kind in ProfileKind)} "
        "(default: what the findings of the newest check need, or all that Flight Recorder knows)",
        "--profiler PATH  async-profiler, for native memory, and for processor time on Java 17",
        pairs=partial(parsing.count, most=_MOST_PAIRS, what="pairs"),
        kinds=_kinds,
    )
    parser.set_defaults(pairs=_PAIRS, kinds=())
    parsing.add_options(parser, "why")
    parsing.declare(
        parser.add_argument_group("reports", "FILE may be - for standard output"),
        "--json FILE  write the explanation as JSON",
        "--html FILE  write one page with flame graphs; it works without a network",
        "--markdown FILE  write Markdown for a comment on a pull request",
    )


def run(args: Namespace, console: Console) -> int:
    # What draws flame graphs is not needed by --help.
    from buto.causes import report
    from buto.causes.action import WhyRequest, why

    texts = {
        "json": report.explanation_json,
        "html": report.explanation_page,
        "markdown": report.explanation_markdown,
    }
    paths = parsing.outputs_of(args, texts)
    names_two = args.against is not None or args.revisions is not None or AGAINST in (args.command or ())
    if not names_two and args.build is not None:
        raise UsageError("--build needs --revisions", advice="buto why --help")
    request = WhyRequest(
        test=args.test,
        programs=programs_of(args) if names_two else None,
        overrides=overrides_of(args),
        pairs=args.pairs,
        build=args.build,
        kinds=args.kinds,
        profiler=args.profiler,
    )
    project = project_of(args)
    explanation = why(project, request, printer_for(args, project, console))
    console.results(report.explanation_lines(explanation, full=console.verbosity is Verbosity.VERBOSE))
    for name, path in paths.items():
        write_file(path, texts[name](explanation).encode(), f"--{name}", console=console)
    return EXIT_PASS


def _kinds(text: str) -> tuple[ProfileKind, ...]:
    words = [word.strip() for word in text.split(",")]
    try:
        return tuple(dict.fromkeys(map(ProfileKind, words)))
    except ValueError:
        known = [kind.value for kind in ProfileKind]
        unknown = next(word for word in words if word not in known)
        raise ArgumentTypeError(f"each kind must be one of {', '.join(known)}, got {unknown!r}") from None
