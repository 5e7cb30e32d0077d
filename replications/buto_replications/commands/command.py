"""Repeat the experiments of the thesis, and record the runs that they need: seventeen variants of four test
programs, each on two hosts. The hosts are one machine with two garbage collectors.

examples:
  buto experiments run all
  buto experiments run judge
  buto experiments run clusters
  buto experiments run history
  buto experiments run ensembles
  buto experiments run store --data data-set
  buto experiments run rpc --data icpe-data-challenge-delag/data
  buto experiments run all --scheduler tcp://10.0.0.1:8786
  buto experiments run smoothing bounds-matcher --data data-set --out results
  buto experiments generate --data runs --minutes 30
  buto experiments generate --data runs --host parallel --runs 50
  buto experiments causes --manifest manifest.yaml --classes out --data profiles --minutes 20
  buto experiments live chain --data live --minutes 60
  buto experiments pack --data runs -o data-set
  buto experiments bed list
  buto experiments generate --help
"""

from __future__ import annotations

import os
import shlex
import textwrap
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from math import inf
from pathlib import Path

from buto.cli import parsing
from buto.cli.console import Console
from buto.cli.parsing import Actions
from buto.errors import UsageError
from buto.project.document import scheduler_of
from buto_replications.bed.labels import RunBlock
from buto_replications.commands.bed import add_bed_arguments, run_bed
from buto_replications.commands.live import HELP, add_live_arguments, run_live
from buto_replications.commands.recording import pack, record_variants
from buto_replications.commands.registry import EXPERIMENTS, PARTS, ExperimentsRequest
from buto_replications.dataset.generate import HOSTS, RUNS, plans
from buto_replications.live.session import DATA as LIVE
from buto_replications.thesis.evaluation import SEED
from buto_replications.thesis.grids import GRIDS

ALL = "all"
DATA = Path(".buto", "experiments")
RESULTS = Path(".buto", "results")


def add_arguments(parser: ArgumentParser) -> None:
    add = Actions(parser).add

    generating = add("generate", "record the variants", _GENERATE)
    generating.add_argument("variants", metavar="VARIANT", nargs="*", help="variants (default: all)")
    _add_data_option(generating, "where the runs are kept")
    generating.add_argument("--host", choices=[*HOSTS, ALL], default=ALL, help="(default: all)")
    defaults = ", ".join(f"{runs} of {host}" for host, runs in RUNS.items())
    generating.add_argument(
        "--runs",
        metavar="K",
        type=parsing.count,
        help=f"usable runs of each variant (default: {defaults})",
    )
    parsing.add_scheduler_option(generating)
    _add_minutes_option(generating, "launch")

    packing = add("pack", "write recorded runs as a small data set for a repository")
    _add_data_option(packing, "where generate keeps the runs")
    packing.add_argument(
        "-o", "--output", metavar="DIR", type=Path, required=True, help="the data set to write"
    )

    running = add("run", "repeat experiments on a data set", _RUN + _each())
    running.add_argument(
        "names",
        metavar="NAME",
        nargs="+",
        choices=[*GRIDS, ALL, *EXPERIMENTS],
        help=f"{', '.join(GRIDS)}, {ALL} of these, or one of {', '.join(EXPERIMENTS)}",
    )
    running.add_argument(
        "--data",
        metavar="DIR",
        type=Path,
        help="a packed data set; for history, ensembles, judge and rivals, a directory with several; for "
        "store, a directory with a packed recording; for outside, petshop and rpc, one with the data of "
        "others (default: what is in buto's repository, which has nothing for these three)",
    )
    running.add_argument(
        "--part",
        choices=list(PARTS),
        default=RunBlock.TUNING.directory,
        help="for clusters and ensembles, which runs of the bed: those that chose, or those for the "
        f"final figures; for ensembles also long runs (default: {RunBlock.TUNING.directory})",
    )
    running.add_argument(
        "--out",
        metavar="DIR",
        type=Path,
        default=RESULTS,
        help=f"where tables and the page are written (default: {RESULTS})",
    )
    running.add_argument(
        "--host",
        choices=[*HOSTS, ALL],
        help=f"(default: {HOSTS[0]} for the thesis's experiments, {ALL} for others)",
    )
    running.add_argument(
        "--seed",
        metavar="N",
        type=_seed,
        default=SEED,
        help=f"seed of the random divisions (default: {SEED})",
    )
    running.add_argument(
        "--workers",
        metavar="N",
        type=parsing.count,
        default=len(os.sched_getaffinity(0)),
        help="number of processes; results do not depend on it (default: number of cores)",
    )
    parsing.add_scheduler_option(running, "compute")

    explaining = add("causes", "measure how often buto why finds the method that changed", _CAUSES)
    explaining.add_argument(
        "--manifest",
        metavar="FILE",
        type=Path,
        nargs="+",
        required=True,
        help="the programs and what changed",
    )
    explaining.add_argument(
        "--together",
        action="store_true",
        help="launch those of testprograms/changes.yaml also all in one program, one of them changed",
    )
    explaining.add_argument(
        "--classes", metavar="PATH", type=Path, default=Path(), help="class path of the programs"
    )
    _add_data_option(explaining, "where the profiles are kept")
    explaining.add_argument(
        "--java", metavar="N", nargs="+", default=["17", "25"], help="Java releases (default: 17 25)"
    )
    for mode, launches in (("old", 10), ("new", 5)):
        explaining.add_argument(
            f"--{mode}",
            metavar="K",
            type=parsing.count,
            default=launches,
            help=f"launches of each {mode} program (default: {launches})",
        )
    _add_minutes_option(explaining, "launch")
    explaining.add_argument(
        "--draws",
        metavar="N",
        type=parsing.count,
        default=400,
        help="draws of each figure (default: 400)",
    )
    explaining.add_argument("--seed", metavar="N", type=_seed, default=SEED, help="of order and draws")
    explaining.add_argument(
        "--out", metavar="DIR", type=Path, default=RESULTS, help=f"for causes.json (default: {RESULTS})"
    )

    living = add("live", "launch buto itself on programs that did not change, and on changed ones", HELP)
    add_live_arguments(living)
    _add_data_option(living, "where programs, runs and results are kept", LIVE)
    _add_minutes_option(living, "trial")
    living.add_argument("--seed", metavar="N", type=_seed, default=SEED, help="of the order")

    add_bed_arguments(add("bed", "runs of a real system: pack them, list them, show its faults"), RESULTS)


def run(args: Namespace, console: Console) -> int:
    match args.action:
        case "bed":
            return run_bed(args, console)
        case "live":
            return run_live(args, _again(args), console)
        case "causes":
            from buto_replications.commands.causes import measure_causes

            return measure_causes(args, console)
        case "generate":
            hosts = HOSTS if args.host == ALL else (args.host,)
            planned = plans(hosts, args.runs, args.variants)
            scheduler = scheduler_of(args.scheduler, "", os.environ)
            return record_variants(planned, args.data, 60 * args.minutes, _again(args), console, scheduler)
        case "pack":
            return pack(args.data, args.output, console)
        case _:
            return _run(args, console)


_GENERATE = """

Variants are launched in rounds of random order. Stored runs count: after Ctrl-C, --minutes or a crash,
the same command continues in the same order. Disturbed runs are kept, marked, and repeated. Recording
everything takes about two hours, on a machine that should do nothing else."""


_CAUSES = """

Each program of the manifest is profiled as it was and with its change; then pairs are drawn from these
profiles many times. Stored profiles count: the same command continues."""


_RUN = """

The experiments of the thesis print each of its tables beside ours, and write page.html, scores.csv,
claims.csv, notifications.csv and results.json. The same seed gives the same tables to the last digit. All of
them together take some minutes on two cores, mostly for the particle filter. Others are run alone:
"""


def _each() -> str:
    """Return the experiments that are run alone, one in a paragraph."""
    return "".join(
        "\n" + textwrap.fill(f"{name}: {entry.summary}", 108, initial_indent="  ", subsequent_indent="    ")
        for name, entry in EXPERIMENTS.items()
    )


def _add_data_option(parser: ArgumentParser, help: str, default: Path = DATA) -> None:
    parser.add_argument(
        "--data", metavar="DIR", type=Path, default=default, help=f"{help} (default: {default})"
    )


def _add_minutes_option(parser: ArgumentParser, what: str) -> None:
    help = f"start no {what} after M minutes"
    parser.add_argument("--minutes", metavar="M", type=_minutes, default=inf, help=help)


def _again(args: Namespace) -> str:
    return f"to go on: buto {shlex.join(args.arguments)}"


def _run(args: Namespace, console: Console) -> int:
    request = ExperimentsRequest.of(args)
    alone = next((name for name in args.names if name in EXPERIMENTS), None)
    if alone is not None:
        if len(args.names) > 1:
            raise UsageError(
                f"{alone} cannot be combined with other experiments", advice=f"buto experiments run {alone}"
            )
        return EXPERIMENTS[alone].load()(request, console)
    # It imports matplotlib, which recording does not need.
    from buto_replications.commands.run_thesis import repeat_experiments

    names = list(GRIDS) if ALL in args.names else [name for name in GRIDS if name in args.names]
    return repeat_experiments(request, names, console)


def _seed(text: str) -> int:
    if not text.isdecimal():
        raise ArgumentTypeError(f"must be a whole number, got {text!r}")
    return int(text)


def _minutes(text: str) -> float:
    try:
        minutes = float(text)
    except ValueError:
        minutes = 0.0
    if not 0 < minutes < inf:
        raise ArgumentTypeError(f"must be a positive number of minutes, got {text!r}")
    return minutes
