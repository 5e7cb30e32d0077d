"""Programs with known regressions and harmless changes.

examples:
  python -m beds.unseen list
  python -m beds.unseen verify sessions --runs 3
  python -m beds.unseen record --jdk /usr/lib/jvm/java-17 --host parallel --store unseen-17
  python -m beds.unseen pack --store unseen-17 --into data/unseen/17
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from beds.artefacts import BedError
from beds.unseen.catalogue import Program, build, halves, programs
from beds.unseen.recording import COLLECTORS, ROUNDS, record
from beds.unseen.verify import MEASURES, rows
from buto.errors import ButoError
from buto.run.store import RunStore
from buto_replications.dataset.archive import pack, write


def _list(some: list[Program]) -> int:
    half = halves()
    for program in some:
        print(f"{program.name} ({half[program.name]}): {program.does}")
        print(f"    {program.kind}: small {program.small}; large {program.large}")
        for version, text in program.refactorings.items():
            print(f"    {version}: {text}")
    return 0


def _verify(some: list[Program], java: str, options: list[str], runs: int) -> int:
    print(" " * 20 + "".join(f"{measure:>12}" for measure in MEASURES))
    classes = build()
    for program in some:
        for row in rows(java, options, classes, program, runs):
            print(row, flush=True)
    return 0


def _record(some: list[Program], given: argparse.Namespace) -> int:
    failures = record(given.jdk, given.host, given.store, some, given.rounds)
    for test, why in failures.items():
        print(f"error: {test}: {why}", file=sys.stderr)
    return 3 if failures else 0


def _pack(store: Path, into: Path) -> int:
    files = pack(RunStore(store))
    write(into, files)
    print(f"{into}: {sum(map(len, files.values())) / 1024:.0f} KiB")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m beds.unseen",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(dest="command", required=True)
    helps = {
        "list": "show the programs and their versions",
        "verify": "run versions and show what they use, without buto",
        "record": "record the runs that a store lacks",
    }
    added = {name: commands.add_parser(name, help=text, description=text) for name, text in helps.items()}
    for command in added.values():
        command.add_argument("names", nargs="*", metavar="PROGRAM", help="(default: all)")
    for name in ("verify", "record"):
        added[name].add_argument("--jdk", type=Path, required=name == "record", help="directory of a JDK")
        added[name].add_argument("--host", choices=COLLECTORS, default="parallel", help="garbage collector")
    added["verify"].add_argument("--runs", type=int, default=1, help="of each version (default: 1)")
    added["record"].add_argument("--store", type=Path, required=True, metavar="DIR")
    added["record"].add_argument(
        "--rounds", type=int, default=ROUNDS, help=f"only the first so many (default: {ROUNDS})"
    )
    text = "write the runs of a store as a data set"
    packing = commands.add_parser("pack", help=text, description=text)
    packing.add_argument("--store", type=Path, required=True, metavar="DIR")
    packing.add_argument("--into", type=Path, required=True, metavar="DIR")
    return parser


def main(arguments: list[str] | None = None) -> int:
    parser = _parser()
    given = parser.parse_args(arguments)
    try:
        if given.command == "pack":
            return _pack(given.store, given.into)
        known = programs()
        if unknown := [name for name in given.names if name not in known]:
            parser.error(f"PROGRAM must be one of {', '.join(known)}, got {', '.join(unknown)}")
        some = [known[name] for name in given.names or known]
        match given.command:
            case "list":
                return _list(some)
            case "verify":
                java = str(given.jdk / "bin" / "java") if given.jdk else "java"
                return _verify(some, java, [COLLECTORS[given.host]], given.runs)
            case _:
                return _record(some, given)
    except BedError as error:
        print(f"error: {error}", file=sys.stderr)
        return 3
    except ButoError as error:
        print(f"error: {error.message}\n{error.advice or ''}", file=sys.stderr)
        return error.exit_code


if __name__ == "__main__":
    sys.exit(main())
