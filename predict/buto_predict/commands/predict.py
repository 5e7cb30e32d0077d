"""Predict how slower or faster components affect the whole system, without running it.

Component tests of the old and the new version are compared, what changed is carried over to a model of the
architecture (see buto architecture --help), and response times are predicted under a load. Results are JSON
of JMH, JUnit XML reports, traces, or stored runs: those of a test (.buto/runs/NAME), or some of them if old
and new ones are in one store. buto recognises them by what they hold.

examples:
  buto predict --old old/jmh.json --new new/jmh.json
  buto predict --model store.yaml --old old/*.xml --new new/*.xml --load 200/s
  buto predict --old .buto/runs/shop/20261124T* --new .buto/runs/shop/20261125T*
  buto predict --old old.json --new new.json --load 'POST /orders=20/s' --load-grid 50..400:8 --html p.html
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from buto.cli.console import Console
from buto.cli.output_files import write_file
from buto.cli.parsing import STDOUT
from buto.errors import UsageError
from buto_predict.commands.options import add_model_option, load_grid, read_model

if TYPE_CHECKING:
    from buto_predict.model import Architecture
    from buto_predict.prediction.model import Prediction

_FILES = {"json": "the whole prediction as JSON", "html": "one page with drawings", "junitxml": "JUnit XML"}


def add_arguments(parser: ArgumentParser) -> None:
    add_model_option(parser)
    parser.add_argument(
        "--new-model",
        metavar="FILE",
        type=Path,
        help="the model of the new version, if its components call each other differently",
    )
    for side, version in (("--old", "before"), ("--new", "after")):
        parser.add_argument(
            side,
            metavar="RESULTS",
            type=Path,
            nargs="+",
            required=True,
            help=f"results of component tests {version} the change",
        )
    parser.add_argument(
        "--load",
        metavar="RATE",
        action="append",
        default=[],
        help="requests of all endpoints, as 200/s, or of one, as 'ENDPOINT=20/s' (default: the model's)",
    )
    parser.add_argument(
        "--load-grid",
        metavar="LOADS",
        type=load_grid,
        help="loads of the curve, as 50,100,200 or LOW..HIGH:POINTS (default: ten up to saturation)",
    )
    group = parser.add_argument_group("reports", "FILE may be - for standard output")
    for name, meaning in _FILES.items():
        group.add_argument(f"--{name}", metavar="FILE", type=Path, help=f"write {meaning}")


def run(args: Namespace, console: Console) -> int:
    # These import numpy and scipy, which --help does not need.
    from buto_predict.prediction.predict import predict
    from buto_predict.report.text import prediction_lines
    from buto_predict.results.files import read_results, repeated

    if sum(getattr(args, name) == STDOUT for name in _FILES) > 1:
        raise UsageError("only one report can go to standard output", advice="give file names instead of -")
    architecture = read_model(args.model, args.load)
    prediction = predict(
        architecture,
        read_results(args.old),
        read_results(args.new),
        new_architecture=None if args.new_model is None else _new_model(architecture, args.new_model),
        loads=args.load_grid,
    )
    again = repeated(args.old, args.new)
    prediction = prediction.doubted(again.reasons, again.warnings)
    for line in prediction_lines(prediction):
        console.result(line)
    _write(prediction, args, console)
    return prediction.status.exit_code


def _new_model(architecture: Architecture, path: Path) -> Architecture:
    from buto_predict.config import load_architecture
    from buto_predict.prediction.versions import fitted

    return fitted(architecture, load_architecture(path), str(path))


def _write(prediction: Prediction, args: Namespace, console: Console) -> None:
    # Each of them needs imports that the others do not need.
    for name in _FILES:
        path: Path | None = getattr(args, name)
        if path is None:
            continue
        match name:
            case "json":
                from buto_predict.report.files import prediction_json

                content = prediction_json(prediction).encode()
            case "html":
                from buto_predict.report.page import prediction_page

                content = prediction_page(prediction).encode()
            case _:
                from buto_predict.report.files import prediction_junit

                content = prediction_junit(prediction, datetime.now(UTC))
        write_file(path, content, f"--{name}")
        if path != STDOUT:
            console.detail(f"wrote {path}")
