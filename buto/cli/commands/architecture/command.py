"""``buto architecture``."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from buto.cli.commands.architecture.predict import MODEL, add_model_option, under_load
from buto.cli.parsing.actions import Actions
from buto.cli.parsing.options import STDOUT
from buto.cli.printing.console import Console
from buto.cli.printing.output_files import write_file
from buto.errors import EXIT_NOT_JUDGED, EXIT_PASS, UsageError
from buto.units import format_count, format_percent, parse_rate

if TYPE_CHECKING:
    from buto.architecture.traces.calibration import Known
    from buto.architecture.traces.summary import Summary

_TOLERANCE = 0.2
_TRACES = "OTLP JSON files of the OpenTelemetry collector, or directories of Kieker's file writer"


class ArchitectureCommand:
    name: ClassVar[str] = "architecture"
    takes_command: ClassVar[bool] = False
    help: ClassVar[str] = """\
Create, check and show the architecture model that buto predict reads: which component calls which and
how often per request, how long each component itself takes, and where requests queue.

examples:
  buto architecture learn traces.json --servers web=4 --utilisation web=0.35 -o architecture.yaml
  buto architecture learn traces.json --from-runs web=.buto/runs/web --load 200/s
  buto architecture learn traces.json --share cores=web,db --servers cores=4
  buto architecture check other-traces.json --utilisation web=0.6
  buto architecture show --load 300/s --html architecture.html
  buto architecture learn --help"""

    def add_arguments(self, parser: ArgumentParser) -> None:
        add = Actions(parser).add

        learning = add("learn", "create a model from traces and utilisation", _LEARN)
        _add_traces(learning)
        learning.add_argument(
            "--servers",
            metavar="STATION=N",
            type=_pair(_whole),
            action="append",
            default=[],
            help="number of parallel servers, such as cores (default: 1)",
        )
        learning.add_argument(
            "--share",
            metavar="STATION=STATION,...",
            type=_pair(_names),
            action="append",
            default=[],
            help="stations whose services run on the same servers, as --share cores=web,db --servers cores=4",
        )
        learning.add_argument("--name", metavar="NAME", default="system", help="(default: system)")
        learning.add_argument(
            "-o", "--output", metavar="FILE", type=Path, default=MODEL, help=f"(default: {MODEL})"
        )
        checking = add("check", "compare the predictions of a model with measurements", _CHECK)
        add_model_option(checking)
        _add_traces(checking)
        checking.add_argument(
            "--tolerance",
            metavar="SHARE",
            type=float,
            default=_TOLERANCE,
            help=f"largest error of a response time or utilisation (default: {_TOLERANCE})",
        )
        showing = add("show", "print or draw a model")
        add_model_option(showing)
        showing.add_argument(
            "--load", metavar="RATE", action="append", default=[], help="the load, as for buto predict"
        )
        showing.add_argument("--html", metavar="FILE", type=Path, help="write a page with a drawing")

    def run(self, args: Namespace, console: Console) -> int:
        return {"learn": _learn, "check": _check, "show": _show}[args.action](args, console)


_LEARN = """

Self times are means of wall-clock time, which includes waiting. If the utilisation of a station is known,
its self times are scaled to the time that it was busy: demand = utilisation x servers / rate. If spans have
the processor time of their thread (thread.cpu.time, in ns), that is taken in place of wall-clock time, and
what a station used outside of spans becomes a component of its own. Stations are the services of the traces
and the databases that they call."""

_CHECK = """

The load is that of the traces. The exit code is 3 if an error is larger than the tolerance; do not judge
with such a model."""


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
        help="utilisation from the processor time of stored runs, as web=.buto/runs/web",
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
    known = replace(_known(args, dict(args.servers)), shared=dict(args.share))
    architecture = learn(summary, args.name, known)
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
    from buto.architecture.traces.calibration import Known

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
        raise ArgumentTypeError(f"must be STATION=VALUE such as web=4, got {text!r}")

    return parse


def _whole(text: str) -> int:
    number = int(text)
    if number < 1:
        raise ValueError(text)
    return number


def _names(text: str) -> tuple[str, ...]:
    names = tuple(name.strip() for name in text.split(","))
    if not all(names):
        raise ValueError(text)
    return names


def _rate(text: str) -> float:
    try:
        return parse_rate(text)
    except UsageError as error:
        raise ArgumentTypeError(error.message) from error


COMMAND = ArchitectureCommand()
