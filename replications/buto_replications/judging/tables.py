"""The tables of the evaluation."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from math import isnan

from buto_replications.judging import unchanged, versions
from buto_replications.judging.checks import FACTORS, Check, Rate, Trial, share
from buto_replications.judging.surroundings import Surroundings
from buto_replications.judging.versions import UNSEEN
from buto_replications.report.content import Columns

ALPHAS = (0.01, 0.05)
ALPHA = ALPHAS[0]
SIZES = ("small", "large")


def discriminating(trials: Sequence[Trial]) -> Columns:
    """Return Matthews's correlation over the experiments of the thesis by host."""
    rows = []
    experiments = [one for one in trials if one.part == versions.EXPERIMENT]
    hosts = list(dict.fromkeys(_host(one) for one in experiments))
    for host in [*hosts, *(["both"] if len(hosts) > 1 else [])]:
        found = versions.discrimination([one for one in experiments if host in (_host(one), "both")], ALPHA)
        rows.append(
            (
                host,
                f"{found.mcc:.4f} ± {found.error:.4f}",
                f"{found.alarms} of {found.n_unchanged}",
                f"{found.missed} of {found.n_changed}",
                str(found.runs),
            )
        )
    return Columns(
        f"MCC over the experiments, alpha {ALPHA:g}, without turns",
        ("host", "MCC", "unchanged that fail", "changed that pass", "runs with errors"),
        tuple(rows),
        left=1,
    )


def subtle(trials: Sequence[Trial]) -> Columns:
    ours = [one for one in trials if one.part == versions.SUBTLE_PART]
    rows = []
    for case, host in dict.fromkeys((one.case, _host(one)) for one in ours):
        chosen = [one for one in ours if (one.case, _host(one)) == (case, host)]
        found = [one.check.fails_alone(ALPHA) for one in chosen]
        value, error = sum(found) / len(found), versions.jackknife(chosen, found)
        rows.append((f"{case}, {host}", _percent(Rate(value, error, len(found), 0))))
    return Columns("Subtle variants found, %, without turns", ("", "found"), tuple(rows))


def alarms(trials: Sequence[Trial], part: str) -> Columns:
    """Return unchanged programs that fail, for each level: without turns, with turns, and by turns alone."""
    ours = [one for one in trials if one.part == part]
    rows = []
    for case in (unchanged.RANDOM, unchanged.IN_ORDER, unchanged.LATER, unchanged.TURNS):
        chosen = [one for one in ours if one.case == case]
        if not chosen:
            continue
        cells = []
        for alpha in ALPHAS:
            plain = share(chosen, partial(Check.fails_alone, alpha=alpha))
            turned = share(chosen, partial(Check.fails, alpha=alpha))
            no_turns, only_turns = case == unchanged.RANDOM, case == unchanged.TURNS
            cells += ["" if only_turns else _percent(plain), "" if no_turns else _percent(turned)]
        launches = [one.check.launches for one in chosen]
        mean = "" if case == unchanged.TURNS else f"{sum(launches) / len(launches):.2f}"
        rows.append((case, *cells, str(len(chosen)), mean))
    heads = ("", *(head for _ in ALPHAS for head in ("three runs", "turns")), "checks", "launches")
    groups = (("", 1), *((f"alpha {alpha:g}", 2) for alpha in ALPHAS), ("", 2))
    return Columns(f"{part}: unchanged programs that fail, %", heads, tuple(rows), groups)


def versions_table(trials: Sequence[Trial], part: str, programs: str = "") -> Columns:
    """Return the share of checks of each kind of version that fail or are noted, by host and over all."""
    ours = [one for one in trials if one.part == part and " x" not in one.case]
    hosts = list(dict.fromkeys(_host(one) for one in ours))
    rows = []
    for host in [*hosts, *(["all"] if len(hosts) > 1 else [])]:
        of_host = [one for one in ours if host in (_host(one), "all")]
        for kind in dict.fromkeys(_kind(one.case) for one in of_host):
            chosen = [one for one in of_host if _kind(one.case) == kind]
            rows.append(
                (
                    f"{host}: {kind}",
                    _percent(share(chosen, lambda one: one.fails_alone(ALPHA), by_name=True)),
                    _percent(share(chosen, lambda one: one.fails(ALPHA), by_name=True)),
                    _percent(share(chosen, lambda one: one.noted and one.three > ALPHA, by_name=True)),
                    str(len(chosen)),
                    f"{sum(one.check.launches for one in chosen) / len(chosen):.2f}",
                )
            )
    heads = ("", "three runs fail", "turns fail", "noted", "checks", "launches")
    return Columns(f"{part}{programs}: share of checks, %, alpha {ALPHA:g}", heads, tuple(rows))


def missed_table(trials: Sequence[Trial], part: str) -> Columns:
    """Return, for each program with a miss or a false alarm, the share of its checks that fail by version."""
    ours = [one for one in trials if one.part == part and " x" not in one.case]
    rows = []
    for name, case in dict.fromkeys((one.name, one.case) for one in ours):
        chosen = [one for one in ours if (one.name, one.case) == (name, case)]
        turned = any(not isnan(one.check.turns) for one in chosen)
        fails = Check.fails if turned else Check.fails_alone
        found = share(chosen, partial(fails, alpha=ALPHA))
        wanted = 1.0 if case in (*SIZES, "new") else 0.0
        if found.value != wanted:
            rows.append((f"{name}: {case}", f"{100 * found.value:.0f}", str(found.n_trials)))
    return Columns(
        f"{part}: versions that were not always judged as wanted", ("", "fail, %", "checks"), tuple(rows)
    )


def curve(trials: Sequence[Trial], part: str, programs: str) -> Columns:
    """Return what fails with all sizes that matter multiplied by a factor."""
    ours = [one for one in trials if one.part == part]
    kinds = [kind for kind in dict.fromkeys(_kind(one.case) for one in ours) if " x" not in kind]
    rows = []
    for factor in FACTORS:
        suffix = "" if factor == 1.0 else f" x{factor:g}"
        cells = []
        for kind in kinds:
            chosen = [one for one in ours if _kind(one.case) == f"{kind}{suffix}"]
            cells.append(_percent(share(chosen, lambda one: one.fails_alone(ALPHA), by_name=True)))
        rows.append((f"{factor:g}", *cells))
    return Columns(
        f"{part}, {programs}: what fails by three runs with all sizes multiplied, %",
        ("factor", *kinds),
        tuple(rows),
    )


def varying(compared: Surroundings) -> Columns:
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


def apart(trials: Sequence[Trial], tuning: frozenset[str], *, tuned: bool) -> list[Trial]:
    """Return the checks of unseen programs that may choose sizes, or of those that may not."""
    return [one for one in trials if one.part == UNSEEN and (one.name.rpartition("@")[0] in tuning) is tuned]


def _kind(case: str) -> str:
    """Return the kind of a version; all refactorings, called r1, r2 and so on, are one."""
    version, _, factor = case.partition(" ")
    kind = "refactored" if version[:1] == "r" and version[1:].isdigit() else version
    return f"{kind} {factor}" if factor else kind


def _host(trial: Trial) -> str:
    return trial.name.rpartition("@")[2]


def _percent(found: Rate) -> str:
    if isnan(found.value):
        return ""
    return f"{100 * found.value:.1f}" + ("" if isnan(found.error) else f" ± {100 * found.error:.1f}")


def _share(value: float | None) -> str:
    return "" if value is None or isnan(value) else f"{100 * value:.2g} %"
