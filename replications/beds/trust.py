"""The figures of *How far can I trust it*: from stored data into the page and its picture.

Whole checks that were launched live, checks of programs by another hand, and checks of recorded runs with
planted changes (`buto experiments run trust` writes these). Nothing is measured here.

    python -m beds.trust    # renews docs/how-far.md and docs/images/found.svg
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Sequence
from pathlib import Path

from beds.hand import catalogue, tables
from beds.hand.catalogue import BASE, BETTER, HARMLESS, LARGE, SMALL
from beds.hand.probe import is_shown, read_probe
from beds.hand.trial import Said
from beds.releases.__main__ import CONFIRMED, REPLAYS
from beds.releases.counts import LIBRARIES
from benchmark import records
from buto.errors import EXIT_PASS, EXIT_REGRESSION
from buto_replications.checkout import DATA
from buto_replications.commands.run_releases import RELEASES
from buto_replications.judging import trust
from buto_replications.live.journal import TRAIN, PartJournal
from buto_replications.live.limits import CONFIDENCE, clustered_upper_limit, upper_limit
from buto_replications.report.charts import power_svg

ROOT = DATA.parent
PAGE = ROOT / "docs" / "how-far.md"
PICTURE = ROOT / "docs" / "images" / "found.svg"
FOUND = DATA / "trust" / "found.csv"
BEGIN, END = "<!-- figures: make trust -->", "<!-- end of figures -->"
WEAK_SIZES = 2.0
"""A kind of change is weak if fewer than nine in ten of this size are found."""


def live_fails(*parts: str) -> tuple[list[int], list[int]]:
    """Return by program how many live checks of unchanged programs fail, and how many there are."""
    entries = [
        entry
        for part in parts
        for entry in PartJournal(DATA / "live" / f"{part}.jsonl").entries()
        # A check that could not be made says nothing.
        if entry.action != TRAIN and entry.exit_code in (EXIT_PASS, EXIT_REGRESSION)
    ]
    by_program = [
        [entry.exit_code == EXIT_REGRESSION for entry in entries if entry.program == name]
        for name in sorted({entry.program for entry in entries})
    ]
    return [sum(fails) for fails in by_program], [len(fails) for fails in by_program]


def hand_checks() -> list[Said]:
    """Return what was said of all programs by another hand."""
    return records.read(DATA / "hand" / "said.csv", Said)


def count_histories() -> tuple[list[int], list[int], list[int]]:
    """Return of each replayed library how many checks fail, how many of these a count confirms, and all.

    A library that was replayed twice has the checks of both.
    """
    with CONFIRMED.open(encoding="utf-8", newline="") as confirmed_rows:
        confirmed = list(csv.DictReader(confirmed_rows))
    fails, shown, checks = [], [], []
    for library in LIBRARIES:
        replays = [f"{library}{replay}" for replay in REPLAYS.values()]
        of_library = [row for row in confirmed if row["replay"] in replays]
        checks.append(sum(map(_count_checks, replays)))
        fails.append(len(of_library))
        shown.append(sum(row["confirmed"] == str(True) for row in of_library))
    return fails, shown, checks


def _count_checks(replay: str) -> int:
    with (RELEASES / f"{replay}.csv").open(encoding="utf-8", newline="") as replayed:
        return sum(row["status"] != "trained" for row in csv.DictReader(replayed))


def rows() -> list[tuple[str, str, str]]:
    """Return the table of the page: what is asked, what was measured, on what."""
    said, programs = hand_checks(), catalogue.programs()
    small, large, better = (_of(said, version) for version in (SMALL, LARGE, BETTER))
    failing = [each for each in (*small, *large, *better) if each.verdict == "regression"]
    true = sum(tables.names_truly(each, programs[each.program]) for each in failing)
    of_third = [each for each in failing if programs[each.program].set == "third"]
    n_accepted = sum(tables.names_what_its_author_accepts(each, programs[each.program]) for each in of_third)
    medians = read_probe()
    shown = sum(is_shown(each, medians) for each in failing)
    welcome = [each for each in better if each.verdict == "regression"]
    fails, confirmed, checks = count_histories()
    for_nothing = [failed - shown_there for failed, shown_there in zip(fails, confirmed, strict=True)]
    three_histories = "jsoup, Infinispan and the Closure compiler"
    small_programs = "`buto check` of small programs, on a machine that others use"
    another_hand = "programs by authors who knew nothing of buto"
    return [
        ("unchanged: checks that fail", _rare(*live_fails("beds", "builds")), small_programs),
        (
            "unchanged, and all sent into turns: checks that fail",
            _rare(*live_fails("beds-turns", "placebo")),
            "small programs, Google Java Format, PlantUML, Closure, Jython, a service",
        ),
        (
            "unchanged, but another JDK or heap than in training, or one core: checks that fail",
            _rare(*live_fails("elsewhere")),
            "small programs, these tools, a service",
        ),
        ("unchanged: checks that fail", _rare(*_by_program(_of(said, BASE))), another_hand),
        (
            "refactored without harm: checks that fail",
            _rare(*_by_program(_of(said, *HARMLESS))),
            another_hand,
        ),
        ("a small regression: found", _often(small), another_hand),
        ("a large regression: found", _often(large), another_hand),
        (
            "changed for the better, and called so",
            f"{sum(each.is_welcome for each in welcome)} of {len(welcome)}",
            another_hand,
        ),
        ("the first line names what the author would name", f"{true} of {len(failing)}", another_hand),
        (
            "the first line names one of the things that the author would accept",
            f"{n_accepted} of {len(of_third)}",
            "the third set of these programs",
        ),
        (
            "the first line names what the author's own measurement shows",
            f"{shown} of {len(failing)}",
            another_hand,
        ),
        (
            "each release after the one before: checks that fail for what no other count shows",
            _rare(for_nothing, checks),
            f"{three_histories}, twice each; of the {sum(fails)} that fail a count shows {sum(confirmed)}",
        ),
    ]


def weak_kinds(checks: Sequence[trust.Checked]) -> list[str]:
    """Return a line for each place: the kinds of which fewer than nine in ten are found, the worst first."""
    lines = []
    for part, place in trust.PLACES.items():
        ours = [check for check in checks if check.part == part]
        shares = {
            words: trust.share_found(ours, planted, WEAK_SIZES).value
            for planted, words in trust.WORDS.items()
        }
        weak = sorted((share, words) for words, share in shares.items() if share < 0.9)
        named = ", ".join(f"{words} {100 * share:.0f} %" for share, words in weak)
        lines.append(f"- On {place}: {named or 'none'}.")
    return lines


def figures() -> str:
    """Return what stands in the page between the marks."""
    checks = records.read(FOUND, trust.Checked)
    fails, n = trust.alarms(checks)
    lines = [
        BEGIN,
        "",
        tables.markdown(("asked", "measured", "on"), rows()),
        "",
        f"*At most* and *at least* are limits that hold with {100 * CONFIDENCE:.0f} %, clustered by program.",
        "",
        "![Checks that fail, by the size of the change](images/found.svg)",
        "",
        f"Recorded runs of programs that chose nothing: {n} windows in the order of time, each judged by all",
        "steps of a check. Bars are standard errors by program. A size of 1 is",
        "[the size that matters](methods/judging.md#sizes-that-matter).",
        f"Without a change, {fails} of {n} checks fail.",
        "",
        f"Fewer than nine of ten checks find a change of {WEAK_SIZES:g} times the size that matters in:",
        "",
        *weak_kinds(checks),
        "",
        END,
    ]
    return "\n".join(lines)


def renewed_page(text: str) -> str:
    """Return the page with today's figures.

    Raises:
        ValueError: it has no marks.
    """
    before, _, rest = text.partition(BEGIN)
    _, mark, after = rest.partition(END)
    if not mark:
        raise ValueError(f"{PAGE} lacks {BEGIN} or {END}")
    return before + figures() + after


def picture() -> bytes:
    """Return the picture as SVG."""
    checks = records.read(FOUND, trust.Checked)
    return power_svg(trust.panels(checks), "unchanged programs: at most")


def _of(said: Sequence[Said], *versions: str) -> list[Said]:
    return [each for each in said if each.version in versions]


def _by_program(said: Sequence[Said]) -> tuple[list[int], list[int]]:
    by_program = [
        [each.verdict == "regression" for each in said if each.program == name]
        for name in sorted({each.program for each in said})
    ]
    return [sum(fails) for fails in by_program], [len(fails) for fails in by_program]


def _rare(fails: Sequence[int], checks: Sequence[int]) -> str:
    limit = max(upper_limit(sum(fails), sum(checks)), clustered_upper_limit(fails, checks))
    return f"{sum(fails)} of {sum(checks)}, at most {100 * limit:.1f} %"


def _often(said: Sequence[Said]) -> str:
    fails, checks = _by_program(said)
    misses = [n - failed for n, failed in zip(checks, fails, strict=True)]
    limit = max(upper_limit(sum(misses), sum(checks)), clustered_upper_limit(misses, checks))
    return f"{sum(fails)} of {sum(checks)}, at least {100 * (1 - limit):.0f} %"


def main() -> int:
    PAGE.write_text(renewed_page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    PICTURE.write_bytes(picture())
    print(f"renewed {Path(PAGE).relative_to(ROOT)} and {PICTURE.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
