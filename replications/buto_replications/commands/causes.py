"""``buto experiments causes``."""

from __future__ import annotations

import json
import re
import time
from argparse import Namespace
from dataclasses import asdict
from pathlib import Path

from buto.causes.profiles import USUAL
from buto.cli.console import Console
from buto.errors import EXIT_PASS, UsageError
from buto.measure.jvms import find_installations
from buto.run.units import format_count
from buto_replications.causes.programs import (
    MODES,
    AlarmShares,
    ChangedProgram,
    FoundShares,
    ProfiledLaunch,
    alarms_in,
    found_in,
    place_of,
    planned,
    read_manifests,
    record,
    stored,
)
from buto_replications.commands.sharing import show, write
from buto_replications.report.content import TextTable

PAIRS = (1, 3, 5)


def measure_causes(args: Namespace, console: Console) -> int:
    """Profile the programs, draw from the profiles, print the figures and write them to a file."""
    programs = read_manifests(args.manifest, str(args.classes), together=args.together)
    javas = {name: java for name, java in _javas().items() if name in args.java} or _missing(args.java)
    if args.minutes:
        _record(args, programs, javas, console)
    results = {java: _measure(args.data, java, programs, args.draws, args.seed) for java in javas}
    for java, (by_program, alarms) in results.items():
        groups = {
            program.group: [each.name for each in programs if each.group == program.group]
            for program in programs
        }
        tables = [
            _find_changed(java, group, {name: by_program[name] for name in names})
            for group, names in groups.items()
        ]
        show((*tables, _find_unchanged(java, alarms)), console)
    write(args.out, {"causes.json": _json(results)}, console)
    return EXIT_PASS


def _javas() -> dict[str, str]:
    javas: dict[str, str] = {}
    for installation in find_installations():
        javas.setdefault(str(installation.major), str(installation.java))
    return javas


def _missing(wanted: list[str]) -> dict[str, str]:
    raise UsageError(
        f"this machine has none of the Java releases {', '.join(wanted)}",
        advice=f"--java {' '.join(_javas())}",
    )


def _record(
    args: Namespace, programs: tuple[ChangedProgram, ...], javas: dict[str, str], console: Console
) -> None:
    launches = dict(zip(MODES, (args.old, args.new), strict=True))
    waiting = planned(programs, javas, args.data, launches, args.seed)
    console.info(f"{format_count(len(waiting), 'launch')} to profile")
    done = 0

    def tell(launch: ProfiledLaunch, failure: str) -> None:
        nonlocal done
        done += 1
        release = launch.place.relative_to(args.data).parts[0]
        name = f"{done} of {len(waiting)}: Java {release}, {launch.program.name}, {launch.mode}"
        if failure:
            console.warning(f"{name}: {failure.splitlines()[0]}")
        else:
            console.info(name)

    record(waiting, time.monotonic() + 60 * args.minutes, tell)


def _measure(
    data: Path, java: str, programs: tuple[ChangedProgram, ...], draws: int, seed: int
) -> tuple[dict[str, dict[int, FoundShares]], dict[str, dict[int, AlarmShares]]]:
    by_program: dict[str, dict[int, FoundShares]] = {}
    alarms: dict[str, dict[int, AlarmShares]] = {}
    for program in programs:
        old, new = (stored(place_of(data, java, program, mode)) for mode in MODES)
        by_program[program.name] = {
            pairs: found_in(
                old, new, program.kinds, program.methods, USUAL, pairs=pairs, draws=draws, seed=seed
            )
            for pairs in PAIRS
        }
        # Programs that share an old program are one unchanged program.
        unchanged = program.places["old"].parts[0]
        if unchanged not in alarms:
            alarms[unchanged] = {
                pairs: alarms_in(old, USUAL, pairs=pairs, draws=draws, seed=seed) for pairs in PAIRS
            }
    return by_program, alarms


def _find_changed(java: str, group: str, by_program: dict[str, dict[int, FoundShares]]) -> TextTable:
    shown = {
        name: shares for name, shares in by_program.items() if any(each.draws for each in shares.values())
    }
    rows = [
        (name, *(_share(value) for pairs in PAIRS for value in _of_changed(shares[pairs])))
        for name, shares in shown.items()
    ]
    rows.append(("mean", *(_mean([row[at] for row in rows]) for at in range(1, 1 + 4 * len(PAIRS)))))
    heads = ("first", "in three", "named", "wrong")
    return TextTable(
        f"Java {java}, {group}: how often the changed method is found",
        ("program", *(head for _ in PAIRS for head in heads)),
        tuple(rows),
        groups=(("", 1), *((format_count(pairs, "pair"), len(heads)) for pairs in PAIRS)),
    )


def _of_changed(shares: FoundShares) -> tuple[float, ...]:
    return shares.first, shares.in_three, shares.named, max(shares.wrong, shares.elsewhere)


def _find_unchanged(java: str, alarms: dict[str, dict[int, AlarmShares]]) -> TextTable:
    rows = [
        (
            name,
            *(_share(value) for pairs in PAIRS for value in (shares[pairs].any_kind, shares[pairs].one_kind)),
        )
        for name, shares in alarms.items()
    ]
    rows.append(("mean", *(_mean([row[at] for row in rows]) for at in range(1, 1 + 2 * len(PAIRS)))))
    return TextTable(
        f"Java {java}: how often anything is named although nothing changed",
        ("program", *(head for _ in PAIRS for head in ("any kind", "worst kind"))),
        tuple(rows),
        groups=(("", 1), *((format_count(pairs, "pair"), 2) for pairs in PAIRS)),
    )


def _share(value: float) -> str:
    return "" if value != value else f"{value:.3f}"


def _mean(cells: list[str]) -> str:
    values = [float(cell) for cell in cells if re.fullmatch(r"\d+\.\d+", cell)]
    return f"{sum(values) / len(values):.3f}" if values else ""


def _json(
    results: dict[str, tuple[dict[str, dict[int, FoundShares]], dict[str, dict[int, AlarmShares]]]],
) -> str:
    def plain(shares: FoundShares | AlarmShares) -> dict[str, float | None]:
        return {key: value if value == value else None for key, value in asdict(shares).items()}

    document = {
        java: {
            "changed": {
                name: {k: plain(shares) for k, shares in each.items()} for name, each in by_program.items()
            },
            "unchanged": {
                name: {k: plain(shares) for k, shares in each.items()} for name, each in alarms.items()
            },
        }
        for java, (by_program, alarms) in results.items()
    }
    return json.dumps({"format": "buto-causes-experiments", "version": 1, "java": document}, indent=1) + "\n"
