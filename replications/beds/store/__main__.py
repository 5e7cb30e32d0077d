"""The small store: three services and a database, in versions with a slower component and others.

examples:
  python -m beds.store prepare
  python -m beds.store plan store-runs
  python -m beds.store generate store-runs
  python -m beds.store generate near-runs --series near
  python -m beds.store evaluate store-runs --tests junit
  python -m beds.store pack store-runs data/store
  python -m beds.store configuration store-test --version hot-low --load fixed
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from beds.artefacts import BedError
from beds.store.configuration import Place, Ports, name_of
from beds.store.generate import generate, write_configuration
from beds.store.plan import Item, Kind, missing, plan, planned_minutes
from beds.store.prepare import prepare
from beds.store.recording import index_of
from beds.store.versions import FIXED, LOADS, OLD, SERIES, VERSIONS
from buto.errors import ButoError
from buto.run.units import format_bytes
from buto_replications.report import content
from buto_replications.store import recorded
from buto_replications.store.evaluation import evaluate
from buto_replications.store.tables import tables

SEED = 4


def _say(text: str) -> None:
    print(text, flush=True)


def _prepare(given: argparse.Namespace) -> int:
    store = prepare(given.database_port)
    _say(f"jars:     {store.jars}\ndatabase: {store.template}")
    return 0


def _plan(given: argparse.Namespace) -> int:
    items = plan(SERIES[given.series], given.seed)
    todo = missing(items, given.directory)
    for kind in Kind:
        chosen = [item for item in items if item.kind is kind]
        left = sum(item in todo for item in chosen)
        _say(f"{kind.value:<6} {len(chosen):>4}, {left} missing, {planned_minutes(chosen):.0f} min in all")
    _say(f"{planned_minutes(items):.0f} min in all, {planned_minutes(todo):.0f} min for what is missing")
    return 0


def _generate(given: argparse.Namespace) -> int:
    directory = given.directory.resolve()
    failures = generate(plan(SERIES[given.series], given.seed), directory, _place(given, directory), _say)
    for failure in failures:
        _say(f"{failure.item.version} {failure.item.load} {failure.item.number}: {failure.reason}")
    if failures:
        _say(f"{len(failures)} measurements failed; the same command repeats them")
    return 3 if failures else 0


def _evaluate(given: argparse.Namespace) -> int:
    index = index_of(SERIES[given.series])
    found = evaluate(given.directory, index, given.tests)
    for table in tables(found, index):
        for line in content.lines(table):
            _say(line)
        _say("")
    if found.lacking:
        _say(f"not measured: {', '.join(found.lacking)}")
    return 0


def _pack(given: argparse.Namespace) -> int:
    todo = missing(plan(SERIES[given.series], given.seed), given.directory)
    if todo:
        raise BedError(
            f"{len(todo)} measurements are missing in {given.directory}; make them first: "
            f"python -m beds.store generate {given.directory} --series {given.series}"
        )
    path = recorded.write(given.directory, index_of(SERIES[given.series]), given.output)
    _say(f"wrote {path} ({format_bytes(path.stat().st_size)})")
    return 0


def _configuration(given: argparse.Namespace) -> int:
    directory = given.directory.resolve()
    item = Item(Kind.RUN, given.version, given.load)
    path = write_configuration([item], directory, _place(given, directory))
    test = name_of(VERSIONS[given.version], LOADS[given.load])
    _say(f"wrote {path}; type: buto record {test} --config {path}")
    return 0


def _place(given: argparse.Namespace, directory: Path) -> Place:
    ports = Ports(given.port, given.port + 1, given.port + 2, given.database_port)
    return Place(prepare(given.database_port), directory / "traces" / "current", ports)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m beds.store", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    usual = Ports()
    for name, action, summary in (
        ("prepare", _prepare, "fetch and compile what the store needs, and fill its database"),
        ("plan", _plan, "show what is measured and how long it takes"),
        ("generate", _generate, "measure what a directory does not have yet"),
        ("evaluate", _evaluate, "compare predictions with what was measured"),
        ("pack", _pack, "write a finished recording as one file for a repository"),
        ("configuration", _configuration, "write a buto.yaml for one version and one load"),
    ):
        command = commands.add_parser(name, help=summary, description=summary)
        command.set_defaults(action=action)
        if name != "prepare":
            command.add_argument("directory", type=Path, metavar="DIRECTORY")
        if name in ("plan", "generate", "pack"):
            command.add_argument("--seed", type=int, default=SEED, help=f"of the order (default: {SEED})")
        if name in ("plan", "generate", "pack", "evaluate"):
            command.add_argument(
                "--series",
                choices=SERIES,
                default="main",
                help="of versions: near has those whose change is nearly a regression (default: main)",
            )
        if name == "pack":
            command.add_argument("output", type=Path, metavar="OUTPUT")
        if name == "evaluate":
            command.add_argument(
                "--tests",
                choices=("jmh", "junit"),
                default="jmh",
                help="component tests to predict from (default: jmh)",
            )
        if name in ("prepare", "generate", "configuration"):
            command.add_argument(
                "--database-port", type=int, default=usual.database, help=f"(default: {usual.database})"
            )
        if name in ("generate", "configuration"):
            command.add_argument(
                "--port",
                type=int,
                default=usual.web,
                help=f"of web; the next two are for the other services (default: {usual.web})",
            )
        if name == "configuration":
            command.add_argument("--version", choices=VERSIONS, default=OLD.name, metavar="VERSION")
            command.add_argument("--load", choices=LOADS, default=FIXED.name, metavar="LOAD")
    return parser


def main(arguments: list[str] | None = None) -> int:
    given = _parser().parse_args(arguments)
    try:
        action = given.action
        code: int = action(given)
        return code
    except (BedError, ButoError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 3
    except KeyboardInterrupt:
        print("interrupted; the same command continues", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
