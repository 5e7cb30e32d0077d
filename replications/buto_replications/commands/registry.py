"""What a user asked of experiments, and the experiments beside those of the thesis."""

from __future__ import annotations

import importlib
import os
from argparse import Namespace
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Self, cast

from buto.cli.console import Console
from buto.project.document import scheduler_of
from buto_replications.bed.labels import RunBlock
from buto_replications.workers import Workers

PARTS = {part.directory: part for part in RunBlock}
"""By what a user types."""


@dataclass(frozen=True, slots=True)
class ExperimentsRequest:
    """How experiments are run.

    Attributes:
        data: the data set; None for the one that comes with the repository.
        host: the host whose runs are taken, ``all`` for those of all; None for the experiment's default.
    """

    data: Path | None
    host: str | None
    seed: int
    workers: Workers
    out: Path
    part: RunBlock

    @classmethod
    def of(cls, args: Namespace) -> Self:
        workers = Workers(args.workers, scheduler_of(args.scheduler, "", os.environ))
        return cls(args.data, args.host, args.seed, workers, args.out, PARTS[args.part])


Run = Callable[[ExperimentsRequest, Console], int]


class ExperimentEntry(NamedTuple):
    """What an experiment measures, and the module ``run_...`` that has its function."""

    module: str
    summary: str
    function: str = "run"

    def load(self) -> Run:
        module = importlib.import_module(f"buto_replications.commands.run_{self.module}")
        return cast(Run, getattr(module, self.function))


EXPERIMENTS: dict[str, ExperimentEntry] = {
    "judge": ExperimentEntry(
        "judging", "the judge on recorded runs that did not choose it; writes judge.csv and counters.svg"
    ),
    "drift": ExperimentEntry(
        "drift", "turns on recorded streams in the order of time, by orders and statistics; takes a minute"
    ),
    "mood": ExperimentEntry(
        "mood",
        "the first look on the same streams, with and without runs that turns have left; takes minutes",
    ),
    "trust": ExperimentEntry(
        "trust",
        "whole checks of the same streams with changes of many sizes; writes found.csv; takes minutes",
    ),
    "builds": ExperimentEntry(
        "builds",
        "the monitor over builds on recorded streams and on the pairs of the benchmark; takes an hour",
    ),
    "creep": ExperimentEntry(
        "creep",
        "builds that each add one percent, and builds of which some regress, by the rules of checks, of the "
        "monitor and of a release, on the pairs of the benchmark that were set apart; takes half an hour",
    ),
    "releases": ExperimentEntry(
        "releases",
        "consecutive releases of jsoup, each checked and accepted as by its maintainer, live; "
        "writes jsoup.csv and jsoup.html",
        "replay_jsoup",
    ),
    "releases-closure": ExperimentEntry(
        "releases", "the same of the Closure compiler; writes closure.csv and closure.html", "replay_closure"
    ),
    "releases-infinispan": ExperimentEntry(
        "releases",
        "the same of Infinispan's embedded cache manager; writes infinispan.csv and infinispan.html",
        "replay_infinispan",
    ),
    "architecture": ExperimentEntry(
        "prediction", "changes of known size in a simulated system, predicted; needs no data", "architecture"
    ),
    "store": ExperimentEntry(
        "prediction",
        "versions of the recorded small store, predicted from component tests, beside what was measured; "
        "writes store-jmh.csv and store-junit.csv",
        "store",
    ),
    "rpc": ExperimentEntry(
        "prediction",
        "response times predicted from times of remote calls, on data of Train Ticket and E-Shopper that "
        "others recorded and --data names; writes rpc.csv",
        "rpc",
    ),
    "clusters": ExperimentEntry(
        "clusters",
        "regression models: the paper's example, and the bed's runs under unlike load, judged also by the "
        "default and by control charts; writes clusters.csv",
    ),
    "ensembles": ExperimentEntry(
        "ensembles",
        "each environment of recorded variants and of the bed, judged by prior tests of the others, beside "
        "the worked example and the tables of the paper behind the detector ensemble; writes ensembles.csv "
        "and ensembles-bed.csv",
    ),
    "environments": ExperimentEntry(
        "environments",
        "each run of the bed judged by the environments of its own block and of all blocks, by the paper's "
        "ensemble and plain rivals",
    ),
    "sweeps": ExperimentEntry(
        "sweeps",
        "costs, samples, dimensions and invalid data in learning from labels, on a made-up history",
    ),
    "outside": ExperimentEntry(
        "outside",
        "learning from labels on series of SAP HANA that others measured and labelled and --data names",
    ),
    "libraries": ExperimentEntry(
        "libraries",
        "learning from labels on the pairs of the benchmark, each library judged by the labels of all others",
    ),
    "petshop": ExperimentEntry(
        "petshop",
        "regression models on counters of a system that others measured and --data names",
    ),
    "rivals": ExperimentEntry(
        "rivals",
        "a t-test, an envelope and a percentage on the runs of the thesis, of labelled histories and of the "
        "small store; the experiments clusters and ensembles print their own",
    ),
    "live": ExperimentEntry(
        "live",
        "live checks that buto experiments live has carried out below --data: alarms, launches, seconds",
    ),
    "history": ExperimentEntry(
        "history",
        "learning from labelled histories, one made up and others replayed from the recorded data sets; "
        "writes history.csv and series.csv",
    ),
}
"""By name, in the order of the help. Each is run alone: it takes other data than the thesis's."""
