"""``buto experiments bed``: pack the bed's runs, list them, show what its faults change."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path

from buto.cli.console import Console
from buto.cli.parsing import Actions
from buto.errors import EXIT_PASS
from buto.run.store import RunStore
from buto.run.units import format_bytes, format_count
from buto_replications import checkout
from buto_replications.bed import archive
from buto_replications.bed.labels import RunBlock
from buto_replications.commands.registry import PARTS
from buto_replications.dataset.archive import write


def add_bed_arguments(parser: ArgumentParser, results: Path) -> None:
    """Add the actions of ``buto experiments bed``; ``results`` is where pictures are written by default."""
    add = Actions(parser, "bed_action").add

    packing = add("pack", "write recorded runs of the bed as a small data set for a repository", _PACK)
    packing.add_argument("runs", metavar="RUNS", type=Path, help="the store that they were recorded into")
    packing.add_argument("directory", metavar="DIRECTORY", type=Path, help="the data set to write")

    listing = add("list", "list the runs of a data set", _LIST)
    _add_data_option(listing)
    listing.add_argument(
        "--part",
        choices=list(PARTS),
        default=RunBlock.TUNING.directory,
        help=f"the runs to list (default: {RunBlock.TUNING.directory})",
    )

    showing = add("faults", "show what each fault changes, as tables and pictures", _FAULTS)
    _add_data_option(showing)
    showing.add_argument(
        "--out", metavar="DIR", type=Path, default=results, help=f"for the files (default: {results})"
    )


def run_bed(args: Namespace, console: Console) -> int:
    match args.bed_action:
        case "pack":
            return _pack(args.runs, args.directory, console)
        case "list":
            return _list(_data(args), PARTS[args.part], console)
        case _:
            return _show_faults(_data(args), args.out, console)


_PACK = """

RUNS is what "python -m beds.keycloak generate" has recorded. Runs of block 1 become the part "tuning", those
of block 2 the part "set apart" and those of block 3 the part "long", each in a directory of its own. A part
of which RUNS has no runs stays as it is. Invalid runs are left out.

example: buto experiments bed pack bed-runs data/keycloak"""

_LIST = """

example: buto experiments bed list"""

_FAULTS = """

Compares runs with a fault with runs without it in the same environment. Prints tables, and writes faults.csv
and a picture of each fault. The runs that are set apart are never shown.

example: buto experiments bed faults --out faults"""


def _add_data_option(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--data", metavar="DIR", type=Path, help="a packed data set (default: the one in buto's repository)"
    )


def _data(args: Namespace) -> Path:
    return checkout.recorded(args.data, archive.RECORDED)


def _pack(runs: Path, directory: Path, console: Console) -> int:
    for part, packed in archive.pack(RunStore(runs)).items():
        place = directory / part.directory
        write(place, packed.files)
        size = format_bytes(sum(map(len, packed.files.values())))
        console.result(f"wrote {format_count(packed.n_runs, 'run')}, {part.value}, to {place} ({size})")
        for run_id, reason in packed.left_out.items():
            console.warning(f"the run {run_id} is not valid and was left out: {reason}")
    return EXIT_PASS


def _list(data: Path, part: RunBlock, console: Console) -> int:
    # They import matplotlib, which packing does not need.
    from buto_replications.bed.effects import run_table
    from buto_replications.report.content import lines

    runs = archive.load(data, part.value)
    for line in lines(run_table(runs, f"{format_count(len(runs), 'run')}, {part.value}:")):
        console.result(line)
    for other, n_runs in archive.parts(data).items():
        if other is not part:
            console.info(
                f"not listed: {format_count(n_runs, 'run')}, {other.value} (--part {other.directory})"
            )
    return EXIT_PASS


def _show_faults(data: Path, out: Path, console: Console) -> int:
    from buto_replications.bed.effects import effect_tables, effects, effects_csv, pictures
    from buto_replications.commands.sharing import show
    from buto_replications.commands.sharing import write as write_files

    by_fault = effects(archive.load(data))
    show(effect_tables(by_fault), console)
    drawn = {f"{name}.png": picture for name, picture in pictures(by_fault)}
    write_files(out, {"faults.csv": effects_csv(by_fault), **drawn}, console)
    return EXIT_PASS
