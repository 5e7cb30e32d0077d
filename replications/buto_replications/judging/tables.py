"""The tables of the evaluation."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from math import isnan

from buto_replications.judging import unchanged, versions
from buto_replications.judging.checks import FACTORS, CheckTrial, Rate, SimulatedCheck, share
from buto_replications.judging.surroundings import PairedCounters
from buto_replications.judging.versions import UNSEEN
from buto_replications.report.content import TextTable

ALPHAS = (0.01, 0.05)
ALPHA = ALPHAS[0]
SIZES = ("small", "large")


def discriminating(trials: Sequence[CheckTrial]) -> TextTable:
    """Return Matthews's correlation over the experiments of the thesis by host."""
    rows = []
    experiments = [trial for trial in trials if trial.part == versions.EXPERIMENT]
    hosts = list(dict.fromkeys(_host(experiment) for experiment in experiments))
    for host in [*hosts, *(["both"] if len(hosts) > 1 else [])]:
        score = versions.discrimination(
            [experiment for experiment in experiments if host in (_host(experiment), "both")], ALPHA
        )
        rows.append(
            (
                host,
                f"{score.mcc:.4f} ± {score.error:.4f}",
                f"{score.alarms} of {score.n_unchanged}",
                f"{score.missed} of {score.n_changed}",
                str(score.runs),
            )
        )
    return TextTable(
        f"MCC over the experiments, alpha {ALPHA:g}: three runs, before turns",
        ("host", "MCC", "unchanged that fail", "changed that pass", "runs with errors"),
        tuple(rows),
        left=1,
    )


def subtle(trials: Sequence[CheckTrial]) -> TextTable:
    ours = [trial for trial in trials if trial.part == versions.SUBTLE_PART]
    rows = []
    for case, host in dict.fromkeys((trial.case, _host(trial)) for trial in ours):
        chosen = [trial for trial in ours if (trial.case, _host(trial)) == (case, host)]
        hits = [trial.check.differs(ALPHA) for trial in chosen]
        value, error = sum(hits) / len(hits), versions.jackknife(chosen, hits)
        rows.append((f"{case}, {host}", _percent(Rate(value, error, len(hits), 0))))
    return TextTable("Subtle variants found, %: three runs, before turns", ("", "found"), tuple(rows))


def alarms(trials: Sequence[CheckTrial], part: str) -> TextTable:
    """Return unchanged programs that fail, for each level: without turns, with turns, and by turns alone."""
    ours = [trial for trial in trials if trial.part == part]
    rows = []
    for case in (unchanged.RANDOM, unchanged.IN_ORDER, unchanged.LATER, unchanged.TURNS):
        chosen = [trial for trial in ours if trial.case == case]
        if not chosen:
            continue
        cells = []
        for alpha in ALPHAS:
            plain = share(chosen, partial(SimulatedCheck.fails_alone, alpha=alpha))
            turned = share(chosen, partial(SimulatedCheck.fails, alpha=alpha))
            no_turns, only_turns = case == unchanged.RANDOM, case == unchanged.TURNS
            cells += ["" if only_turns else _percent(plain), "" if no_turns else _percent(turned)]
        launches = [trial.check.launches for trial in chosen]
        mean = "" if case == unchanged.TURNS else f"{sum(launches) / len(launches):.2f}"
        rows.append((case, *cells, str(len(chosen)), mean))
    heads = ("", *(head for _ in ALPHAS for head in ("three runs", "turns")), "checks", "launches")
    groups = (("", 1), *((f"alpha {alpha:g}", 2) for alpha in ALPHAS), ("", 2))
    return TextTable(f"{part}: unchanged programs that fail, %", heads, tuple(rows), groups)


def versions_table(trials: Sequence[CheckTrial], part: str, programs: str = "") -> TextTable:
    """Return the share of checks of each kind of version that fail or are noted, by host and over all."""
    ours = [trial for trial in trials if trial.part == part and " x" not in trial.case]
    hosts = list(dict.fromkeys(_host(trial) for trial in ours))
    has_turns = any(_has_turns(trial) for trial in ours)
    rows = []
    for host in [*hosts, *(["all"] if len(hosts) > 1 else [])]:
        of_host = [trial for trial in ours if host in (_host(trial), "all")]
        for kind in dict.fromkeys(_kind(trial.case) for trial in of_host):
            chosen = [trial for trial in of_host if _kind(trial.case) == kind]
            rows.append(
                (
                    f"{host}: {kind}",
                    _percent(share(chosen, lambda check: check.fails_alone(ALPHA), by_name=True)),
                    *(
                        [_percent(share(chosen, lambda check: check.fails(ALPHA), by_name=True))]
                        if has_turns
                        else []
                    ),
                    _percent(share(chosen, lambda check: check.noted and check.three > ALPHA, by_name=True)),
                    str(len(chosen)),
                    f"{sum(trial.check.launches for trial in chosen) / len(chosen):.2f}",
                )
            )
    heads = (
        *("", "three runs fail"),
        *(["turns fail"] if has_turns else []),
        *("noted", "checks", "launches"),
    )
    return TextTable(f"{part}{programs}: share of checks, %, alpha {ALPHA:g}", heads, tuple(rows))


def _has_turns(trial: CheckTrial) -> bool:
    return not isnan(trial.check.turns)


def missed_table(trials: Sequence[CheckTrial], part: str) -> TextTable:
    """Return, for each program with a miss or a false alarm, the share of its checks that fail by version."""
    ours = [trial for trial in trials if trial.part == part and " x" not in trial.case]
    rows = []
    for name, case in dict.fromkeys((trial.name, trial.case) for trial in ours):
        chosen = [trial for trial in ours if (trial.name, trial.case) == (name, case)]
        turned = any(_has_turns(trial) for trial in chosen)
        fails = SimulatedCheck.fails if turned else SimulatedCheck.fails_alone
        failing = share(chosen, partial(fails, alpha=ALPHA))
        wanted = 1.0 if case in (*SIZES, "new") else 0.0
        if failing.value != wanted:
            rows.append((f"{name}: {case}", f"{100 * failing.value:.0f}", str(failing.n_trials)))
    return TextTable(
        f"{part}: versions that were not always judged as wanted", ("", "fail, %", "checks"), tuple(rows)
    )


def curve(trials: Sequence[CheckTrial], part: str, programs: str) -> TextTable:
    """Return what fails with all sizes that matter multiplied by a factor."""
    ours = [trial for trial in trials if trial.part == part]
    kinds = [kind for kind in dict.fromkeys(_kind(trial.case) for trial in ours) if " x" not in kind]
    rows = []
    for factor in FACTORS:
        suffix = "" if factor == 1.0 else f" x{factor:g}"
        cells = []
        for kind in kinds:
            chosen = [trial for trial in ours if _kind(trial.case) == f"{kind}{suffix}"]
            cells.append(_percent(share(chosen, lambda check: check.fails_alone(ALPHA), by_name=True)))
        rows.append((f"{factor:g}", *cells))
    return TextTable(
        f"{part}, {programs}: what fails by three runs with all sizes multiplied, %",
        ("factor", *kinds),
        tuple(rows),
    )


def varying(compared: PairedCounters) -> TextTable:
    return TextTable(
        f"Counters of the same programs with a difference: {compared.differs}",
        (
            "property",
            *(f"CV, {name}" for name in compared.names),
            "largest CV",
            "shift",
            "largest shift",
            "programs",
        ),
        tuple(
            (
                variation.name,
                *(_share(variation.between_runs.get(name)) for name in compared.names),
                _share(variation.largest),
                _share(variation.shift),
                _share(variation.largest_shift),
                str(variation.n_programs),
            )
            for variation in compared.variations
        ),
    )


def apart(trials: Sequence[CheckTrial], tuning: frozenset[str], *, tuned: bool) -> list[CheckTrial]:
    """Return the checks of unseen programs that may choose sizes, or of those that may not."""
    return [
        trial
        for trial in trials
        if trial.part == UNSEEN and (trial.name.rpartition("@")[0] in tuning) is tuned
    ]


def _kind(case: str) -> str:
    """Return the kind of a version; all refactorings, called r1, r2 and so on, are one."""
    version, _, factor = case.partition(" ")
    kind = "refactored" if version[:1] == "r" and version[1:].isdigit() else version
    return f"{kind} {factor}" if factor else kind


def _host(trial: CheckTrial) -> str:
    return trial.name.rpartition("@")[2]


def _percent(rate: Rate) -> str:
    if isnan(rate.value):
        return ""
    return f"{100 * rate.value:.1f}" + ("" if isnan(rate.error) else f" ± {100 * rate.error:.1f}")


def _share(value: float | None) -> str:
    return "" if value is None or isnan(value) else f"{100 * value:.2g} %"
