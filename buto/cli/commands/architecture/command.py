"""``buto architecture``."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError, Namespace, RawDescriptionHelpFormatter
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from buto.cli.commands.architecture.predict import MODEL, add_model_option, under_load
from buto.cli.main import add_verbosity
from buto.cli.parsing.options import STDOUT
from buto.cli.printing.console import Console
from buto.cli.printing.output_files import write_file
from buto.errors import EXIT_NOT_JUDGED, EXIT_PASS, UsageError
from buto.units import format_count, format_percent, parse_rate

if TYPE_CHECKING:
    from buto.architecture.traces.learning import Known
    from buto.architecture.traces.summary import Summary

_TOLERANCE = 0.2
_TRACES = "OTLP JSON files of the OpenTelemetry collector, or directories of Kieker's file writer"


class ArchitectureCommand:
    name: ClassVar[str] = "architecture"
    takes_command: ClassVar[bool] = False
    help: ClassVar[str] = """\
Make, check and show the model of an architecture that buto predict reads: who calls whom how often for one
request, how long each component takes by itself, and what requests queue for.

examples:
  buto architecture learn traces.json --servers web=4 --utilisation web=0.35 -o architecture.yaml
  buto architecture learn traces.json --from-runs web=.buto/runs/web --load 200/s
  buto architecture check other-traces.json --utilisation web=0.6
  buto architecture show --load 300/s --html architecture.html
  buto architecture learn --help"""

    def add_arguments(self, parser: ArgumentParser) -> None:
        actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)

        def add(name: str, help: str, more: str = "") -> ArgumentParser:
            action: ArgumentParser = actions.add_parser(
                name,
                help=help,
                description=f"{help[0].upper()}{help[1:]}.{more}",
                formatter_class=RawDescriptionHelpFormatter,
                allow_abbrev=False,
            )
            add_verbosity(action)
            return action

        learning = add("learn", "make a model from traces and utilisation", _LEARN)
        _add_traces(learning)
        learning.add_argument(
            "--servers",
            metavar="STATION=N",
            type=_pair(_whole),
            action="append",
            default=[],
            help="how many servers work side by side, as cores (default: 1)",
        )
        learning.add_argument("--name", metavar="NAME", default="system", help="(default: system)")
        learning.add_argument(
            "-o", "--output", metavar="FILE", type=Path, default=MODEL, help=f"(default: {MODEL})"
        )
        checking = add("check", "compare what a model predicts with what was measured", _CHECK)
        add_model_option(checking)
        _add_traces(checking)
        checking.add_argument(
            "--tolerance",
            metavar="SHARE",
            type=float,
            default=_TOLERANCE,
            help=f"largest error of a response time or utilisation (default: {_TOLERANCE})",
        )
        showing = add("show", "print a model, and draw it")
        add_model_option(showing)
        showing.add_argument("--load", metavar="RATE", action="append", default=[], help="as of buto predict")
        showing.add_argument("--html", metavar="FILE", type=Path, help="draw it on a page")

    def run(self, args: Namespace, console: Console) -> int:
        return {"learn": _learn, "check": _check, "show": _show}[args.action](args, console)


_LEARN = """

Self times are means of wall-clock time, in which waiting is included. Where the utilisation of a station is
known, they are scaled to what it really was busy for: demand = utilisation x servers / rate. Stations are the
services of the traces, and the databases that they call."""

_CHECK = """

The load is that of the traces. Exits with 3 if an error is larger than the tolerance: such a model should not
judge."""


def _add_traces(parser: ArgumentParser) -> None:
    parser.add_argument("traces", metavar="TRACES", type=Path, nargs="+", help=_TRACES)
    parser.add_argument(
        "--utilisation",
        metavar="STATION=SHARE",
        type=_pair(float),
        action="append",
        default=[],
        help="busy share of all servers of a station while the traces were recorded",
    )
    parser.add_argument(
        "--from-runs",
        metavar="STATION=DIR",
        type=_pair(Path),
        action="append",
        default=[],
        help="the same from the processor time of stored runs, as web=.buto/runs/web",
    )
    parser.add_argument(
        "--load",
        metavar="RATE",
        type=_rate,
        help="requests of all endpoints at that time, if only some were traced",
    )


def _learn(args: Namespace, console: Console) -> int:
    from buto.architecture.traces.learning import learn
    from buto.config.architecture import architecture_text

    summary = _summarize(args, console)
    architecture = learn(summary, args.name, _known(args, dict(args.servers)))
    write_file(args.output, architecture_text(architecture).encode(), "--output")
    if args.output != STDOUT:
        console.result(
            f"wrote {args.output}: {format_count(len(architecture.components), 'component')}, "
            f"{format_count(len(architecture.endpoints), 'endpoint')}, "
            f"{format_count(len(architecture.stations), 'station')}"
        )
    return EXIT_PASS


def _check(args: Namespace, console: Console) -> int:
    from buto.architecture.traces.learning import errors_of
    from buto.config.architecture import load_architecture
    from buto.report.architecture.model_text import error_lines

    architecture = load_architecture(args.model)
    servers = {station.name: station.servers for station in architecture.stations}
    responses, utilisations = errors_of(architecture, _summarize(args, console), _known(args, servers))
    for line in error_lines(responses, utilisations):
        console.result(line)
    worst = max(abs(one.error) for one in (*responses, *utilisations))
    if worst <= args.tolerance:
        return EXIT_PASS
    console.error(
        f"the largest error is {format_percent(worst)}, more than {format_percent(args.tolerance)}",
        "learn the model again, with the utilisation of its stations: buto architecture learn --help",
    )
    return EXIT_NOT_JUDGED


def _show(args: Namespace, console: Console) -> int:
    from buto.config.architecture import load_architecture
    from buto.report.architecture.model_text import architecture_lines

    architecture = under_load(load_architecture(args.model), args.load)
    for line in architecture_lines(architecture):
        console.result(line)
    if args.html is not None:
        from buto.report.architecture.page import architecture_page

        write_file(args.html, architecture_page(architecture).encode(), "--html")
    return EXIT_PASS


def _summarize(args: Namespace, console: Console) -> Summary:
    from buto.architecture.traces.reading import read_traces
    from buto.architecture.traces.summary import summarize
    from buto.report.architecture.model_text import summary_lines

    summary = summarize(read_traces(args.traces))
    for line in summary_lines(summary):
        console.info(line)
    return summary


def _known(args: Namespace, servers: dict[str, int]) -> Known:
    from buto.architecture.results.stored_runs import busy_processors
    from buto.architecture.traces.learning import Known

    utilisations = {
        station: busy_processors(directory) / servers.get(station, 1) for station, directory in args.from_runs
    }
    return Known(servers, utilisations | dict(args.utilisation), args.load)


def _pair(read: Callable[[str], object]) -> Callable[[str], tuple[str, object]]:
    def parse(text: str) -> tuple[str, object]:
        name, equals, value = text.rpartition("=")
        try:
            if equals and name:
                return name, read(value)
        except ValueError:
            pass
        raise ArgumentTypeError(f"{text!r} must be a station, = and a value, as web=4")

    return parse


def _whole(text: str) -> int:
    number = int(text)
    if number < 1:
        raise ValueError(text)
    return number


def _rate(text: str) -> float:
    try:
        return parse_rate(text)
    except UsageError as error:
        raise ArgumentTypeError(error.message) from error


COMMAND = ArchitectureCommand()
