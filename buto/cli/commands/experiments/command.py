"""``buto experiments``."""

from __future__ import annotations

import os
import shlex
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from math import inf
from pathlib import Path
from typing import ClassVar

from buto.cli.commands.experiments.bed import add_bed_arguments, run_bed
from buto.cli.commands.experiments.recording import pack, record_variants
from buto.cli.commands.experiments.request import ExperimentsRequest
from buto.cli.parsing import options
from buto.cli.parsing.actions import Actions
from buto.cli.printing.console import Console
from buto.config.scheduler import scheduler_of
from buto.errors import UsageError
from buto.experiments.dataset.generate import RUNS, plans
from buto.experiments.dataset.variants import HOSTS
from buto.experiments.thesis.evaluation import SEED
from buto.experiments.thesis.grids import GRIDS

ALL = "all"
CALIBRATED = "calibrated"
ARCHITECTURE = "architecture"
HISTORY = "history"
POWER = "power"
DATA = Path(".buto", "experiments")
RESULTS = Path(".buto", "results")


class ExperimentsCommand:
    name: ClassVar[str] = "experiments"
    takes_command: ClassVar[bool] = False
    help: ClassVar[str] = """\
Repeat the experiments of the thesis, and record the runs that they need: seventeen variants of four test
programs, each on two hosts. The hosts are one machine with two garbage collectors.

examples:
  buto experiments run all
  buto experiments run calibrated
  buto experiments run power
  buto experiments run history
  buto experiments run smoothing bounds-matcher --data data-set --out results
  buto experiments generate --data runs --minutes 30
  buto experiments generate --data runs --host parallel --runs 50
  buto experiments causes --manifest manifest.yaml --classes out --data profiles --minutes 20
  buto experiments pack --data runs -o data-set
  buto experiments bed list
  buto experiments generate --help"""

    def add_arguments(self, parser: ArgumentParser) -> None:
        add = Actions(parser).add

        generating = add("generate", "record the variants", _GENERATE)
        generating.add_argument("variants", metavar="VARIANT", nargs="*", help="variants (default: all)")
        _add_data_option(generating, "where the runs are kept")
        generating.add_argument("--host", choices=[*HOSTS, ALL], default=ALL, help="(default: all)")
        defaults = ", ".join(f"{runs} of {host}" for host, runs in RUNS.items())
        generating.add_argument(
            "--runs",
            metavar="K",
            type=options.count,
            help=f"usable runs of each variant (default: {defaults})",
        )
        options.add_scheduler_option(generating)
        generating.add_argument(
            "--minutes", metavar="M", type=_minutes, default=inf, help="start no launch after M minutes"
        )

        packing = add("pack", "write recorded runs as a small data set for a repository")
        _add_data_option(packing, "where generate keeps the runs")
        packing.add_argument(
            "-o", "--output", metavar="DIR", type=Path, required=True, help="the data set to write"
        )

        running = add("run", "repeat experiments of the thesis on a data set", _RUN)
        running.add_argument(
            "names",
            metavar="NAME",
            nargs="+",
            choices=[*GRIDS, ALL, CALIBRATED, POWER, ARCHITECTURE, HISTORY],
            help=f"{', '.join(GRIDS)}, {ALL} of these, or {CALIBRATED}, {POWER}, {ARCHITECTURE} or {HISTORY}",
        )
        running.add_argument(
            "--data",
            metavar="DIR",
            type=Path,
            help="a packed data set (default: the one in buto's repository)",
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
            help=f"(default: {HOSTS[0]}; {ALL} for {CALIBRATED} and {POWER})",
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
            type=options.count,
            default=len(os.sched_getaffinity(0)),
            help="number of processes; results do not depend on it (default: number of cores)",
        )

        explaining = add("causes", "measure how often buto why finds the method that changed", _CAUSES)
        explaining.add_argument(
            "--manifest", metavar="FILE", type=Path, required=True, help="the programs and what changed"
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
                type=options.count,
                default=launches,
                help=f"launches of each {mode} program (default: {launches})",
            )
        explaining.add_argument(
            "--minutes", metavar="M", type=_minutes, default=inf, help="start no launch after M minutes"
        )
        explaining.add_argument(
            "--draws",
            metavar="N",
            type=options.count,
            default=400,
            help="draws of each figure (default: 400)",
        )
        explaining.add_argument("--seed", metavar="N", type=_seed, default=SEED, help="of order and draws")
        explaining.add_argument(
            "--out", metavar="DIR", type=Path, default=RESULTS, help=f"for causes.json (default: {RESULTS})"
        )

        add_bed_arguments(add("bed", "runs of a real system: pack them, list them, show its faults"), RESULTS)

    def run(self, args: Namespace, console: Console) -> int:
        match args.action:
            case "bed":
                return run_bed(args, console)
            case "causes":
                from buto.cli.commands.experiments.causes import measure_causes

                return measure_causes(args, console)
            case "generate":
                hosts = HOSTS if args.host == ALL else (args.host,)
                planned = plans(hosts, args.runs, args.variants)
                again = f"to go on: buto {shlex.join(args.arguments)}"
                scheduler = scheduler_of(args.scheduler, "", os.environ)
                return record_variants(planned, args.data, 60 * args.minutes, again, console, scheduler)
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

"calibrated" measures buto's own detector on runs that were recorded after it was designed. "power" adds
changes of known size to recorded runs, and compares how many of them the present and the next default find,
and at how many false alarms; it prints tables and writes power.csv and power.svg. "architecture" predicts
changes of known size in a simulated system and shows the results of the paper behind buto predict; it needs
no data. "history" learns from labelled histories: one made up at the size of the paper behind the detector
history, and one replayed from all recorded data sets; it prints the paper's tables beside ours and writes
history.csv. All others repeat the thesis: buto prints each of its tables beside ours, and writes
page.html, scores.csv, claims.csv, notifications.csv and results.json. The same seed gives the same tables
to the last digit. All experiments together take some minutes on two cores, mostly for the particle filter."""


def _add_data_option(parser: ArgumentParser, help: str) -> None:
    parser.add_argument("--data", metavar="DIR", type=Path, default=DATA, help=f"{help} (default: {DATA})")


def _run(args: Namespace, console: Console) -> int:
    request = ExperimentsRequest.of(args)
    # It imports matplotlib, which recording does not need.
    if CALIBRATED in args.names:
        if len(args.names) > 1:
            raise UsageError(
                f"{CALIBRATED} cannot be combined with other experiments",
                advice=f"buto experiments run {CALIBRATED}",
            )
        from buto.cli.commands.experiments.calibrated import measure_calibrated

        return measure_calibrated(request, console)
    if POWER in args.names:
        if len(args.names) > 1:
            raise UsageError(
                f"{POWER} cannot be combined with other experiments", advice=f"buto experiments run {POWER}"
            )
        from buto.cli.commands.experiments.power import measure_power

        return measure_power(request, console)
    if ARCHITECTURE in args.names:
        if len(args.names) > 1:
            raise UsageError(
                f"{ARCHITECTURE} cannot be combined with other experiments",
                advice=f"buto experiments run {ARCHITECTURE}",
            )
        from buto.cli.commands.experiments.architecture import predict_known_changes

        return predict_known_changes(request, console)
    if HISTORY in args.names:
        if len(args.names) > 1:
            raise UsageError(
                f"{HISTORY} cannot be combined with other experiments",
                advice=f"buto experiments run {HISTORY}",
            )
        from buto.cli.commands.experiments.history import learn_histories

        return learn_histories(request, console)
    from buto.cli.commands.experiments.thesis import repeat_experiments

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


COMMAND = ExperimentsCommand()
