"""Regressions in released libraries: pairs of releases, counted without buto, and rules that judge them.

examples:
  python -m benchmark list
  python -m benchmark reproduce jsoup-parse --runs 5
  python -m benchmark sums org.jsoup:jsoup:1.21.1
  python -m benchmark record --cell 17-quiet --jdk /usr/lib/jvm/java-17 --store benchmark-runs --minutes 60
  python -m benchmark pack --cell 17-quiet --store benchmark-runs
  python -m benchmark show jsoup-errors --cell 17-quiet --output jsoup-errors.png
  python -m benchmark run --rule mine.py
  python -m benchmark table --figure rules.png
  python -m benchmark neighbours --judged neighbours.csv
  python -m benchmark bursts
  python -m benchmark histories
  python -m benchmark shuffles --judged shuffles.csv
  python -m benchmark configuration && buto compare jsoup-parse-old --against jsoup-parse-new
  python -m benchmark reproduce --commits
  python -m benchmark causes && buto experiments causes --manifest causes.yaml --data profiles
  python -m benchmark explain --commits --java 17=java --output explained.csv
  python -m benchmark explain --good --output unchanged.csv
  python -m benchmark explain --services --output services.csv
  python -m benchmark series && buto record --config series.yaml --store series-runs --runs 6
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any, TypeVar

import yaml

from beds.artefacts import BedError, digest_of
from benchmark import (
    bursts,
    explained,
    halves,
    histories,
    judged,
    neighbours,
    recording,
    records,
    reproduce,
    rules,
    series,
    shuffles,
    tables,
)
from benchmark.causes import manifest, subjects
from benchmark.launch import SIDES, configuration
from benchmark.pairs import COMMITS, GOOD, PAIRS, Measure, Pair, read_all
from benchmark.services import read_services
from buto.errors import ButoError
from buto.run.store import RunStore
from buto_replications.dataset import archive
from buto_replications.report.content import lines
from buto_replications.workers import Workers, in_parallel

Command = Callable[[argparse.Namespace], int]
Named = TypeVar("Named")


def row(pair: Pair, java: str, measure: Measure, outcome: reproduce.Outcome) -> str:
    """Return the line of a pair and a measure: medians, and the least and largest of its runs."""
    old, new = (
        f"{median(runs):9.2f} ({min(runs):.2f}-{max(runs):.2f})" for runs in (outcome.old, outcome.new)
    )
    answer = "yes" if outcome.reproduced else "no"
    return f"{pair.name:<24} {java:<7} {measure:<13} {old:<28} {new:<28} {outcome.ratio:6.3f}  {answer}"


def _reproduce(given: argparse.Namespace) -> int:
    print(f"{'pair':<24} {'java':<7} {'measure':<13} {'old':<28} {'new':<28}  ratio more")
    javas = dict(word.rpartition("=")[::2] for word in given.java)
    missed = 0
    for pair in _pairs_or_commits(given):
        counted: list[reproduce.Counts] = []
        for name, java in javas.items():
            runs = list(reproduce.count(pair, java, name, given.runs))
            counted += runs
            expected = pair.regression.measures if pair.regression else ()
            for measure in Measure:
                outcome = reproduce.outcome(runs, measure)
                missed += measure in expected and not outcome.reproduced
                if measure in expected or given.all:
                    print(row(pair, name, measure, outcome), flush=True)
        if given.write:
            reproduce.COUNTED.mkdir(exist_ok=True)
            with (reproduce.COUNTED / f"{pair.name}.csv").open("w", encoding="utf-8", newline="") as out:
                reproduce.write(counted, out)
    return 1 if missed else 0


def _list(given: argparse.Namespace) -> int:
    for pair in _pairs_or_commits(given):
        print(f"{pair.name}: {pair.releases}, {pair.issue}")
        found = pair.regression
        kind = f"{found.kind}, {found.difficulty}" if found else "good"
        print(f"    {kind}: {pair.reported}")
    return 0


def _record(given: argparse.Namespace) -> int:
    pairs = named(read_all(), given.names)
    cell = recording.CELLS[given.cell]
    failures = recording.record(cell, given.jdk, given.store / cell.name, pairs, 60.0 * given.minutes)
    for test, why in failures.items():
        print(f"error: {test}: {why}", file=sys.stderr)
    return 3 if failures else 0


def _pack(given: argparse.Namespace) -> int:
    into = given.data / given.cell
    files = archive.pack(RunStore(given.store / given.cell))
    archive.write(into, files)
    print(f"{into}: {sum(map(len, files.values())) / 1024:.0f} KiB")
    return 0


def _show(given: argparse.Namespace) -> int:
    runs = recording.load(recording.CELLS[given.cell], given.data)
    for pair in named(read_all(), given.names):
        tests = {side: runs.get(f"{pair.name}-{side}") for side in SIDES}
        if None in tests.values():
            raise BedError(f"{pair.name} was not recorded in {given.data / given.cell}")
        output = given.output or Path(f"{pair.name}.png")
        tables.curves(pair, {side: run_set for side, run_set in tests.items() if run_set}).savefig(
            output, dpi=120
        )
        print(output)
    return 0


def _run(given: argparse.Namespace) -> int:
    return _judged(given, [rules.of_file(given.rule, given.new)])


def _table(given: argparse.Namespace) -> int:
    return _judged(given, rules.RULES)


def _neighbours(given: argparse.Namespace) -> int:
    chosen, found = _judgements(given, neighbours.RULES)
    print("\n".join(lines(neighbours.table(found, chosen, halves.halves(given.halves)))))
    return 0


def _bursts(given: argparse.Namespace) -> int:
    chosen = {pair.name: pair for pair in named(read_all((GOOD,)), given.names)}
    cells = {name: recording.load(recording.CELLS[name], given.data) for name in bursts.CELLS}
    work = judged.tasks(chosen, cells, (), given.draws)
    if not work:
        raise BedError(f"there are no recorded pairs in {given.data}: name --data DIR")
    found: list[judged.Judgement] = []
    for number, some in enumerate(in_parallel(bursts.judgements, work, Workers(given.workers)), 1):
        found += some
        print(f"\r{number} of {len(work)}", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    print("\n".join(lines(bursts.table(found))))
    return 0


def _judgements(
    given: argparse.Namespace, with_rules: Sequence[rules.Named]
) -> tuple[dict[str, Pair], list[judged.Judgement]]:
    """Return the chosen pairs, and what buto and the rules say of them."""
    chosen = {pair.name: pair for pair in named(read_all(), given.names)}
    cells = {name: recording.load(cell, given.data) for name, cell in recording.CELLS.items()}
    known = records.read(given.judged, judged.Judgement) if given.judged else []
    found = [judgement for judgement in known if judgement.pair in chosen]
    done = {(judgement.pair, judgement.cell) for judgement in known}
    every = judged.tasks(chosen, cells, with_rules, given.draws)
    work = [task for task in every if (task.pair.name, task.cell) not in done]
    if not every:
        raise BedError(
            f"there are no recorded pairs in {given.data}: record and pack them, or name --data DIR"
        )
    for number, some in enumerate(in_parallel(judged.judgements, work, Workers(given.workers)), 1):
        found += some
        if given.judged:
            records.add(given.judged, some)
        print(f"\r{number} of {len(work)}", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return chosen, found


def _judged(given: argparse.Namespace, with_rules: Sequence[rules.Named]) -> int:
    chosen, found = _judgements(given, with_rules)
    half = halves.halves(given.halves)
    short = {rule.name: rule.short for rule in with_rules}
    for table in (
        tables.rules_table(found, chosen, half),
        tables.cells_table(found, chosen, half),
        tables.pairs_table(found, chosen, half, short),
    ):
        print("\n".join(lines(table)), end="\n\n")
    print("  ".join(f"{code}: {name}" for name, code in short.items()))
    if given.figure:
        tables.figure(found, chosen, half).savefig(given.figure, dpi=150)
    return 0


def _histories(given: argparse.Namespace) -> int:
    print(histories.table())
    return 0


def _shuffles(given: argparse.Namespace) -> int:
    chosen = {pair.name: pair for pair in named(read_all(), given.names)}
    cells = {name: recording.load(cell, given.data) for name, cell in recording.CELLS.items()}
    known = records.read(given.judged, shuffles.Shuffle) if given.judged else []
    found = [shuffle for shuffle in known if shuffle.pair in chosen]
    done = {(shuffle.pair, shuffle.cell) for shuffle in known}
    every = judged.tasks(chosen, cells, (), given.draws)
    work = [task for task in every if (task.pair.name, task.cell) not in done]
    if not every:
        raise BedError(f"there are no recorded pairs in {given.data}: name --data DIR")
    for number, some in enumerate(in_parallel(shuffles.shuffles, work, Workers(given.workers)), 1):
        found += some
        if given.judged:
            records.add(given.judged, some)
        print(f"\r{number} of {len(work)}", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    print("\n".join(lines(shuffles.table(found))))
    return 0


def _draw(given: argparse.Namespace) -> int:
    drawn = halves.draw(named(read_all(), given.names))
    print(yaml.safe_dump(drawn, sort_keys=False), end="")
    return 0


def _sums(given: argparse.Namespace) -> int:
    for coordinates in given.names:
        print(f"  {coordinates}: {digest_of(coordinates)}")
    return 0


def _configuration(given: argparse.Namespace) -> int:
    pairs = _pairs_or_commits(given)
    return _written(given.output, lambda: configuration(pairs), "tests")


def _causes(given: argparse.Namespace) -> int:
    pairs = [pair for pair in _pairs_or_commits(given) if pair.regression]
    return _written(given.output, lambda: manifest(pairs), "programs")


def _explain(given: argparse.Namespace) -> int:
    release, _, java = given.java.partition("=")
    known = {
        explained_pair.name
        for explained_pair in records.read(given.output, explained.Answer)
        if explained_pair.java == release
    }
    missed = 0
    for name, ask in _to_explain(given).items():
        if name in known:
            continue
        try:
            records.add(given.output, [answer := ask(java, release)])
            print(answer, flush=True)
        except BedError as error:
            missed += 1
            print(f"error: {error}", file=sys.stderr)
    answers = [
        explained_pair
        for explained_pair in records.read(given.output, explained.Answer)
        if explained_pair.java == release
    ]
    print("\n".join(explained.named_at_all(answers) if given.good else explained.summary(answers)))
    return 3 if missed else 0


def _to_explain(given: argparse.Namespace) -> dict[str, Callable[[str, str], explained.Answer]]:
    """Return by name what asks, given the command of a JVM and its name."""
    if given.services:
        services = {change.name: change for change in named(read_services(), given.names)}
        return {name: partial(explained.explained_service, change) for name, change in services.items()}
    if given.names or given.commits:
        pairs = _pairs_or_commits(given)
    else:
        half = halves.halves() if given.apart else {}
        known = read_all((GOOD if given.good else PAIRS,)).items()
        pairs = [pair for name, pair in known if not given.apart or half[name] == "apart"]
    with_kinds = (pair for pair in pairs if pair.regression is None or subjects(pair.regression))
    return {kind.name: partial(explained.explained, kind) for kind in with_kinds}


def _series(given: argparse.Namespace) -> int:
    return _written(given.output, lambda: series.tests(named(series.read_series(), given.names)), "tests")


def _labels(given: argparse.Namespace) -> int:
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(series.COLUMNS)
    out.writerows(series.labels(named(series.read_series(), given.names)))
    return 0


class UnknownNameError(BedError):
    """Something was named that is not there."""


def named(known: Mapping[str, Named], names: list[str]) -> list[Named]:
    """Return what is named, or all if no name is given.

    Raises:
        UnknownNameError: a name is not known.
    """
    if unknown := [name for name in names if name not in known]:
        raise UnknownNameError(f"NAME must be one of {', '.join(known)}, got {', '.join(unknown)}")
    return [known[name] for name in names or known]


def _pairs_or_commits(given: argparse.Namespace) -> list[Pair]:
    if given.commits and not given.names:
        return list(read_all((COMMITS,)).values())
    known = read_all((PAIRS, GOOD, COMMITS))
    return named(known, given.names) if given.names else list(read_all().values())


def _written(output: Path, make: Callable[[], dict[str, Any]], of: str) -> int:
    if output.exists():
        raise BedError(f"{output} exists: remove it, or write another file with --output FILE")
    content = make()
    output.write_text(yaml.safe_dump(content, sort_keys=False, allow_unicode=True))
    print(f"{output}: {len(content[of])} {of}")
    return 0


COMMANDS: dict[str, tuple[Command, str]] = {
    "list": (_list, "show the pairs and what was reported"),
    "reproduce": (
        _reproduce,
        "run both releases in turns; exit with 1 if a pair does not show what was reported",
    ),
    "record": (_record, "record with buto what a store lacks; what is there already stays"),
    "pack": (_pack, "pack recorded runs of a cell into the data set"),
    "show": (_show, "draw the curves of a pair, old and new"),
    "run": (_run, "judge the recorded pairs by a rule of yours, beside buto"),
    "table": (_table, "judge the recorded pairs by all rules"),
    "neighbours": (_neighbours, "judge the recorded pairs by the rules of other projects"),
    "bursts": (_bursts, "count false alarms while bursts of processor time come and go"),
    "histories": (_histories, "look at builds that did not change by rules for whole histories"),
    "shuffles": (_shuffles, "count how often turns accuse where labels mean nothing"),
    "draw": (_draw, "print which pairs are set apart"),
    "sums": (_sums, "print lines with the SHA-256 of files of Maven Central, for the file of a pair"),
    "configuration": (_configuration, "write a buto.yaml with a test for each release"),
    "causes": (_causes, "write a manifest for buto experiments causes, with the methods that changed"),
    "explain": (
        _explain,
        "ask buto why for the cause of each, and write where the changed method is; resumes",
    ),
    "series": (_series, "write a configuration with a test for each release of the series"),
    "labels": (_labels, "print which releases of the series are regressions, as CSV"),
}
_FILES = {
    "configuration": "buto.yaml",
    "causes": "causes.yaml",
    "explain": "explained.csv",
    "series": "series.yaml",
}


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmark",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(dest="command", required=True)
    added = {
        name: commands.add_parser(name, help=text, description=text) for name, (_, text) in COMMANDS.items()
    }
    for name, command in added.items():
        many, what = ("+", "group:name:version") if name == "sums" else ("*", "(default: all)")
        command.add_argument("names", nargs=many, metavar="NAME", help=what)
    instead = added["explain"].add_mutually_exclusive_group()
    instead.add_argument(
        "--good", action="store_true", help="if there is no name: the good pairs, where each cause is wrong"
    )
    instead.add_argument("--apart", action="store_true", help="if there is no name: the pairs set apart")
    instead.add_argument(
        "--services", action="store_true", help="changes of a Spring Boot service, which Maven builds"
    )
    for name in ("list", "reproduce", "configuration", "causes", "explain"):
        where = instead if name == "explain" else added[name]
        where.add_argument(
            "--commits", action="store_true", help="if there is no name: all commits, not all pairs"
        )
    counting = added["reproduce"]
    counting.add_argument(
        "--runs",
        type=_runs,
        default=reproduce.RUNS,
        metavar="N",
        help=f"of each release (default: {reproduce.RUNS})",
    )
    counting.add_argument(
        "--java", action="append", metavar="NAME=JAVA", help="a JVM; may be repeated (default: default=java)"
    )
    counting.add_argument("--all", action="store_true", help="print all counts, not only those of the report")
    counting.add_argument(
        "--write", action="store_true", help=f"keep all counts in {reproduce.COUNTED.name}/"
    )
    added["explain"].add_argument(
        "--java", default="default=java", metavar="NAME=JAVA", help="(default: default=java)"
    )
    for name in ("record", "pack", "show"):
        added[name].add_argument(
            "--cell", choices=recording.CELLS, required=True, help="JVM and surroundings"
        )
    for name in ("record", "pack"):
        added[name].add_argument(
            "--store", type=Path, required=True, metavar="DIR", help="of the recorded runs"
        )
    added["record"].add_argument(
        "--jdk", type=Path, required=True, metavar="DIR", help="directory of the JDK"
    )
    added["record"].add_argument(
        "--minutes",
        type=float,
        default=float("inf"),
        metavar="N",
        help="start no launch later (default: no limit)",
    )
    added["show"].add_argument("--output", type=Path, metavar="FILE", help="(default: NAME.png)")
    for name in ("pack", "show", "run", "table", "neighbours", "bursts", "shuffles"):
        added[name].add_argument(
            "--data", type=Path, default=recording.RECORDED, metavar="DIR", help="(default: data/benchmark)"
        )
    added["run"].add_argument(
        "--rule", type=Path, required=True, metavar="FILE", help="defines rule(old, new)"
    )
    added["run"].add_argument("--new", type=int, default=9, metavar="N", help="new runs it gets (default: 9)")
    for name in ("run", "table", "neighbours", "bursts", "shuffles"):
        added[name].add_argument("--draws", type=int, default=judged.DRAWS, metavar="N", help="of each pair")
        added[name].add_argument("--workers", type=int, default=1, metavar="N", help="processes (default: 1)")
    for name in ("run", "table", "neighbours", "shuffles"):
        added[name].add_argument(
            "--judged", type=Path, metavar="FILE", help="keep judgements as CSV; with the same rules, resumes"
        )
    for name in ("run", "table", "neighbours"):
        added[name].add_argument(
            "--halves",
            type=Path,
            default=halves.WRITTEN,
            metavar="FILE",
            help="written draw (default: draw.yaml)",
        )
    for name in ("run", "table"):
        added[name].add_argument(
            "--figure", type=Path, metavar="FILE", help="draw found against failed wrongly"
        )
    for name, file in _FILES.items():
        added[name].add_argument(
            "--output", type=Path, default=Path(file), metavar="FILE", help=f"(default: {file})"
        )
    return parser


def _runs(text: str) -> int:
    if not text.isdecimal() or int(text) < reproduce.LEAST_RUNS:
        raise argparse.ArgumentTypeError(f"must be at least {reproduce.LEAST_RUNS}, got {text}")
    return int(text)


def main(arguments: list[str] | None = None) -> int:
    given = _parser().parse_args(arguments)
    if given.command == "reproduce":
        given.java = given.java or ["default=java"]
    try:
        return COMMANDS[given.command][0](given)
    except BedError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2 if isinstance(error, UnknownNameError) else 3
    except ButoError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.exit_code


if __name__ == "__main__":
    sys.exit(main())
