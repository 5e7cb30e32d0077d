"""The tables of the evaluation, both methods side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isnan

from buto.experiments.next_method import unchanged, variants
from buto.experiments.next_method.checks import METHODS, Way
from buto.experiments.next_method.criteria import ALPHA, ALPHAS, Line
from buto.experiments.next_method.rates import Rate
from buto.experiments.next_method.surroundings import Surroundings
from buto.experiments.next_method.trials import Trial, share
from buto.report.experiments.content import Columns

GROUPS = (("", 1), *((method, 2) for method in METHODS))


def discriminating(trials: Sequence[Trial]) -> Columns:
    """Return Matthews's correlation over the experiments by host and method."""
    rows = []
    experiments = [one for one in trials if one.part == variants.EXPERIMENT]
    hosts = list(dict.fromkeys(_host(one) for one in experiments))
    for host in [*hosts, *(["both"] if len(hosts) > 1 else [])]:
        for method in METHODS:
            ours = [one for one in experiments if one.method == method and host in (_host(one), "both")]
            found = variants.discrimination(ours, ALPHA)
            rows.append(
                (
                    host,
                    method,
                    f"{found.mcc:.4f} ± {found.error:.4f}",
                    f"{found.alarms} of {found.n_unchanged}",
                    f"{found.missed} of {found.n_changed}",
                    str(found.runs),
                )
            )
    return Columns(
        f"MCC over the experiments, {ALPHA:g}, confirmed",
        ("host", "method", "MCC", "unchanged that fail", "changed that pass", "runs with errors"),
        tuple(rows),
        left=2,
    )


def subtle(trials: Sequence[Trial]) -> Columns:
    """Return the share of checks of each subtle variant that fail, by three runs and confirmed."""
    rows = []
    ours = [one for one in trials if one.part == variants.SUBTLE_PART]
    for case, host in dict.fromkeys((one.case, _host(one)) for one in ours):
        cells = []
        for method in METHODS:
            chosen = [one for one in ours if (one.case, _host(one), one.method) == (case, host, method)]
            for way in (Way.CONFIRMED, Way.THREE):
                found = [one.check.fails(way, ALPHA) for one in chosen]
                value, error = sum(found) / len(found), variants.jackknife(chosen, found)
                cells.append(_percent(Rate(value, error, len(found), 0)))
        rows.append((f"{case}, {host}", *cells))
    return _side_by_side("Subtle variants found, %", tuple(rows))


def alarms(trials: Sequence[Trial], part: str, caption: str) -> list[Columns]:
    """Return a table of false alarms for each level, with errors by first run and by program."""
    found = []
    cases = (
        unchanged.RANDOM,
        unchanged.IN_ORDER,
        unchanged.PAUSED,
        unchanged.BESIDE,
        unchanged.LATER,
    )
    ours = [one for one in trials if one.part == part]
    for alpha in ALPHAS:
        rows = []
        for case in cases:
            for way in Way:
                cells = []
                for method in METHODS:
                    chosen = [one for one in ours if (one.method, one.case) == (method, case)]
                    rate = share(chosen, way, alpha)
                    by_name = share(chosen, way, alpha, by_name=True)
                    cells += [_percent(rate), "" if isnan(by_name.error) else f"{100 * by_name.error:.1f}"]
                if any(cells):
                    rows.append((f"{case}, {way}", *cells))
        found.append(
            Columns(
                f"{caption}: checks that fail at alpha {alpha:g}, %; and the error if programs are clusters",
                ("", *("% ± s.e.", "by program") * len(METHODS)),
                tuple(rows),
                GROUPS,
            )
        )
    return found


def versions_table(trials: Sequence[Trial], part: str, named: Mapping[tuple[str, str], str]) -> Columns:
    """Return the share of checks of each version that fail, and what the next method names first."""
    ours = [one for one in trials if one.part == part]
    cases = list(dict.fromkeys(one.case for one in ours))
    rows = []
    for name in [*dict.fromkeys(one.name for one in ours), ""]:
        for case in cases:
            cells = []
            for method in METHODS:
                chosen = [
                    one
                    for one in ours
                    if one.method == method and one.case == case and name in (one.name, "")
                ]
                cells += [
                    _percent(share(chosen, way, ALPHA, by_name=not name))
                    for way in (Way.CONFIRMED, Way.THREE)
                ]
            rows.append((f"{name or 'all'}: {case}", *cells, named.get((name, case), "")))
    table = _side_by_side(f"{part}: share that fails at alpha {ALPHA:g}, %", ())
    return Columns(
        table.caption, (*table.heads, "named first"), tuple(rows), (*table.groups, ("", 1)), left=1
    )


def varying(compared: Surroundings) -> Columns:
    """Return one row for each property."""
    return Columns(
        f"Counters of the same programs with a difference: {compared.differs}",
        (
            "property",
            *(f"CV, {one}" for one in compared.names),
            "largest CV",
            "shift",
            "largest shift",
            "programs",
        ),
        tuple(
            (
                one.name,
                *(_share(one.between_runs.get(name)) for name in compared.names),
                _share(one.largest),
                _share(one.shift),
                _share(one.largest_shift),
                str(one.n_programs),
            )
            for one in compared.found
        ),
    )


def decision(lines: Sequence[Line], method: str) -> Columns:
    """Return the written criteria with what was measured."""
    met = {True: "yes", False: "no", None: "not measured"}
    rows = tuple((one.what, _value(one.value), _value(one.error), one.asked, met[one.met]) for one in lines)
    all_met = all(one.met for one in lines)
    return Columns(
        f"{method}: the written criteria",
        ("", "measured", "± s.e.", "asked", "met"),
        rows,
        notes=(
            "all criteria are met" if all_met else "not all criteria are met: it does not become the default",
        ),
    )


def _side_by_side(caption: str, rows: tuple[tuple[str, ...], ...]) -> Columns:
    heads = ("", *(str(way) for _ in METHODS for way in (Way.CONFIRMED, Way.THREE)))
    return Columns(caption, heads, rows, GROUPS)


def _host(trial: Trial) -> str:
    return trial.name.rpartition("@")[2]


def _percent(found: Rate) -> str:
    if isnan(found.value):
        return ""
    return f"{100 * found.value:.1f}" + ("" if isnan(found.error) else f" ± {100 * found.error:.1f}")


def _share(value: float | None) -> str:
    return "" if value is None or isnan(value) else f"{100 * value:.2g} %"


def _value(value: float) -> str:
    return "" if isnan(value) else f"{value:.4g}"
