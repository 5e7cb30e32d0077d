"""Create, check and show the architecture model that buto predict reads: which component calls which and
how often per request, how long each component itself takes, and where requests queue.

examples:
  buto architecture learn traces.json --servers web=4 --utilisation web=0.35 -o architecture.yaml
  buto architecture learn traces.json --from-runs web=.buto/runs/web --load 200/s
  buto architecture learn traces.json --share cores=web,db --servers cores=4
  buto architecture check other-traces.json --utilisation web=0.6
  buto architecture show --load 300/s --html architecture.html
  buto architecture learn --help
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from buto.cli.console import Console
from buto.cli.output_files import write_file
from buto.cli.parsing import STDOUT, Actions
from buto.errors import EXIT_NOT_JUDGED, EXIT_PASS, JudgeError, UsageError
from buto.run.units import format_count, format_percent
from buto_predict.commands.options import (
    MODEL,
    add_model_option,
    add_traces,
    known_of,
    names,
    pair,
    read_model,
    whole,
)

if TYPE_CHECKING:
    from buto_predict.model import Architecture
    from buto_predict.traces.learning import KnownFacts
    from buto_predict.traces.summary import Summary

_TOLERANCE = 0.2
_SHOWN = 5


_LEARN = """

Self times are means of wall-clock time, which includes waiting. If the utilisation of a station is known,
its self times are scaled to the time that it was busy: demand = utilisation x servers / rate. If spans have
the processor time of their thread (thread.cpu.time, in ns), that is taken in place of wall-clock time, and
what a station used outside of spans becomes a component of its own. Stations are the services of the traces
and the databases that they call."""

_CHECK = """

The load is that of the traces. The exit code is 3 if an error is larger than the tolerance; do not judge
with such a model."""


def add_arguments(parser: ArgumentParser) -> None:
    add = Actions(parser).add

    learning = add("learn", "create a model from traces and utilisation", _LEARN)
    add_traces(learning)
    learning.add_argument(
        "--servers",
        metavar="STATION=N",
        type=pair("STATION=N", whole, "web=4"),
        action="append",
        default=[],
        help="number of parallel servers, such as cores (default: 1)",
    )
    learning.add_argument(
        "--share",
        metavar="STATION=STATION,...",
        type=pair("STATION=STATION,...", names, "cores=web,db"),
        action="append",
        default=[],
        help="stations whose services run on the same servers, as --share cores=web,db --servers cores=4",
    )
    learning.add_argument("--name", metavar="NAME", default="system", help="(default: system)")
    learning.add_argument(
        "-o", "--output", metavar="FILE", type=Path, default=MODEL, help=f"(default: {MODEL})"
    )
    learning.add_argument(
        "--force", action="store_true", help="overwrite FILE; what was written into it by hand is lost"
    )
    checking = add("check", "compare the predictions of a model with measurements", _CHECK)
    add_model_option(checking)
    add_traces(checking)
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


def run(args: Namespace, console: Console) -> int:
    return {"learn": _learn, "check": _check, "show": _show}[args.action](args, console)


def _learn(args: Namespace, console: Console) -> int:
    from buto_predict.config import architecture_text
    from buto_predict.traces.learning import learn

    if args.output.is_file() and not args.force:
        raise UsageError(
            f"{args.output} exists", advice="name another file by -o, or overwrite it with --force"
        )
    summary = _summarize(args, console)
    known = known_of(args, dict(args.servers), dict(args.share))
    architecture = learn(summary, args.name, known)
    write_file(args.output, architecture_text(architecture).encode(), "--output")
    if args.output != STDOUT:
        console.result(
            f"wrote {args.output}: {format_count(len(architecture.components), 'component')}, "
            f"{format_count(len(architecture.endpoints), 'endpoint')}, "
            f"{format_count(len(architecture.stations), 'station')}"
        )
    _warn(architecture, summary, known, console)
    return EXIT_PASS


def _warn(architecture: Architecture, summary: Summary, known: KnownFacts, console: Console) -> None:
    """Warn of what makes the predictions of a learned model wrong, if only on its own traces."""
    from buto_predict.report.text import misfit_text, varied_text, waiting_text
    from buto_predict.traces.fit import misfits, varied
    from buto_predict.traces.learning import without_utilisation

    waiting = without_utilisation(summary, known)
    if waiting:
        console.warning(waiting_text(waiting))
    for endpoint in varied(architecture):
        console.warning(varied_text(endpoint))
    try:
        for misfit in misfits(architecture, summary, known, _TOLERANCE):
            console.warning(misfit_text(misfit))
    except JudgeError as error:
        console.warning(f"nothing can be predicted with this model: {error.message}")


def _check(args: Namespace, console: Console) -> int:
    from buto_predict.listing import listed
    from buto_predict.report.text import error_lines
    from buto_predict.traces.fit import errors_of

    architecture = read_model(args.model)
    summary = _summarize(args, console)
    lacking = sorted(set(summary.responses) - {endpoint.name for endpoint in architecture.endpoints})
    if lacking:
        files = ", ".join(map(str, args.traces))
        shown = ", ".join([*lacking[:_SHOWN], *(["..."] if len(lacking) > _SHOWN else [])])
        raise UsageError(
            f"{files} has requests to {shown}, which {args.model} lacks; is it another system or version?",
            advice="--model FILE checks another model",
        )
    unseen = [endpoint.name for endpoint in architecture.endpoints if endpoint.name not in summary.responses]
    if unseen:
        console.warning(f"the traces have no requests to {listed(unseen)}, so that is not checked")
    servers = {station.name: station.servers for station in architecture.stations}
    responses, utilisations = errors_of(architecture, summary, known_of(args, servers, {}))
    for line in error_lines(responses, utilisations):
        console.result(line)
    worst = max(abs(response.error) for response in (*responses, *utilisations))
    if worst <= args.tolerance:
        return EXIT_PASS
    console.error(
        f"the largest error is {format_percent(worst)}, more than {format_percent(args.tolerance)}",
        "learn the model again, with the utilisation of its stations: buto architecture learn --help",
    )
    return EXIT_NOT_JUDGED


def _show(args: Namespace, console: Console) -> int:
    from buto_predict.report.text import architecture_lines

    architecture = read_model(args.model, args.load)
    for line in architecture_lines(architecture):
        console.result(line)
    if args.html is not None:
        from buto_predict.report.page import architecture_page

        write_file(args.html, architecture_page(architecture).encode(), "--html")
    return EXIT_PASS


def _summarize(args: Namespace, console: Console) -> Summary:
    from buto_predict.report.text import summary_lines
    from buto_predict.traces.files import read_traces
    from buto_predict.traces.summary import summarize

    summary = summarize(read_traces(args.traces))
    for line in summary_lines(summary):
        console.info(line)
    return summary
