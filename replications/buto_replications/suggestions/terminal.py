"""Print what ``buto suggest`` found, with the lines to add to the configuration."""

from __future__ import annotations

from collections.abc import Sequence

from buto.judging.effects import MINIMUM_EFFECT
from buto.report.document import align
from buto.report.sanitize import MAX_TEXT, one_line
from buto.run.units import format_count, format_percent, format_quantity
from buto_replications.suggestions.suggestion import AlarmCause, CheckShare, Suggestion, Truth

CONFIGURATION_VERSION = 1
MOST_ROWS = 20
"""Rows of a table; the document of ``--json`` has all."""

_KNOWN = {
    Truth.UNCHANGED: "false alarm",
    Truth.REGRESSION: "regression",
    Truth.MEANT: "meant",
    Truth.UNKNOWN: "",
}


def suggestion_lines(
    suggestion: Suggestion, configuration: str, next_step: str, *, has_configuration: bool = True
) -> list[str]:
    """Return everything that a suggestion says.

    Args:
        configuration: the name of the file with the settings.
        next_step: how the settings are learned, or how a false alarm is labelled.
        has_configuration: whether the file exists.
    """
    regressions = sum(check.check.truth is Truth.REGRESSION for check in suggestion.checks)
    sections = (
        _causes(suggestion.causes),
        _checks(suggestion),
        _rates(suggestion),
        _remarks(suggestion),
        _proposal(suggestion, configuration, next_step, has_configuration),
    )
    alarms = format_count(len(suggestion.false_alarms), "false alarm")
    among = f"among them {alarms} and {format_count(regressions, 'regression')}"
    return [
        f"{one_line(suggestion.test)}: {format_count(len(suggestion.checks), 'check')} judged again, {among}",
        *(line for lines in sections if lines for line in ("", *lines)),
    ]


def _causes(causes: Sequence[AlarmCause]) -> list[str]:
    rows = [
        (
            one_line(cause.subject, MAX_TEXT),
            str(cause.n_alarms),
            format_quantity(cause.largest, cause.unit),
            str(cause.n_regressions),
            "" if cause.smallest is None else format_quantity(cause.smallest, cause.unit),
        )
        for cause in causes[:MOST_ROWS]
    ]
    heads = ("PROPERTY THAT DIFFERED", "FALSE ALARMS", "AT MOST BY", "REGRESSIONS", "AT LEAST BY")
    return _table(heads, rows, len(causes))


def _checks(suggestion: Suggestion) -> list[str]:
    labelled = [check for check in suggestion.checks if check.check.truth is not Truth.UNKNOWN]
    # More than a good one that passes.
    telling = [
        rejudged
        for rejudged in labelled
        if rejudged.check.truth is not Truth.UNCHANGED or rejudged.now.fails or rejudged.then.fails
    ]
    rows = [
        (
            f"{rejudged.check.at:%Y-%m-%d %H:%M}",
            _KNOWN[rejudged.check.truth]
            if rejudged.now.fails or rejudged.check.truth is not Truth.UNCHANGED
            else "good",
            *("fails" if judged.fails else "passes" for judged in (rejudged.now, rejudged.then)),
            one_line(rejudged.check.reason, MAX_TEXT),
        )
        for rejudged in telling[-MOST_ROWS:]
    ]
    return _table(("WHEN (UTC)", "LABEL", "NOW", "WITH THEM", "REASON"), rows, len(telling))


def _table(heads: tuple[str, ...], rows: Sequence[tuple[str, ...]], total: int) -> list[str]:
    more = [f"and {total - MOST_ROWS} more (--json)"] if total > MOST_ROWS else []
    return [*align([heads, *rows]), *more] if rows else []


def _rates(suggestion: Suggestion) -> list[str]:
    now, then, held_out = suggestion.now, suggestion.then, suggestion.held_out
    columns = [now, then] if suggestion.effects else [now]
    header = ["SHARE OF CHECKS THAT FAIL", "NOW", "WITH THEM"][: 1 + len(columns)]
    if suggestion.effects and held_out is not None and suggestion.n_held_out:
        columns.append(held_out)
        header.append("HELD OUT")
    rows = [
        ("unchanged program", *(_share(rates.alarms) for rates in columns)),
        ("regressions", *(_share(rates.found) for rates in columns)),
    ]
    if now.meant.of:
        rows.append(("changes on purpose", *(_share(rates.meant) for rates in columns)))
    return align([tuple(header), *rows])


def _share(share: CheckShare) -> str:
    if not share.of:
        return "none known"
    least, most = (format_percent(round(end, 3)) for end in share.bounds)
    return f"{share.count} of {share.of} ({least} to {most})"


def _remarks(suggestion: Suggestion) -> list[str]:
    texts = []
    if suggestion.now.alarms.of or suggestion.now.found.of:
        texts.append("In brackets: the rates that so few checks leave possible (95 %).")
    if suggestion.effects and suggestion.n_held_out:
        held_out = format_count(suggestion.n_held_out, "labelled failure")
        texts.append(f"Held out: each of {held_out} is judged by what is suggested without it.")
    unlabelled = len(suggestion.unlabelled_alarms)
    if unlabelled:
        texts.append(f"{format_count(unlabelled, 'failed check')} without a label: in none of the numbers.")
    by_check = len(suggestion.unconfirmed)
    if by_check:
        are = "regression is" if by_check == 1 else "regressions are"
        texts.append(
            f"{by_check} {are} labelled by the check alone: in no share. "
            "If that was a false alarm, label its runs good."
        )
    for why in dict.fromkeys(unjudged.why for unjudged in suggestion.unjudged):
        count = sum(unjudged.why is why for unjudged in suggestion.unjudged)
        texts.append(f"{format_count(count, 'check')} not judged again: {why.value}.")
    return texts


def _proposal(
    suggestion: Suggestion, configuration: str, next_step: str, has_configuration: bool
) -> list[str]:
    """Return the lines to add to the configuration, with the minimum effects that it has already."""
    if not suggestion.false_alarms:
        return [
            "Nothing to suggest: no false alarm is labelled that the present settings would raise.",
            f"after a false alarm: {next_step}",
        ]
    if not suggestion.effects:
        return ["No minimum effect avoids a false alarm without missing a regression."]
    import yaml

    head = {} if has_configuration else {"version": CONFIGURATION_VERSION}
    data = {**head, "tests": {suggestion.test: {"judge": {MINIMUM_EFFECT: suggestion.minimum_effect}}}}
    text = (
        str(yaml.safe_dump(data, sort_keys=False, allow_unicode=True, width=10**6)).rstrip("\n").split("\n")
    )
    missed = [alarm for alarm in suggestion.false_alarms if alarm.then.fails]
    left = f"; {format_count(len(missed), 'false alarm')} cannot be avoided" if missed else ""
    return [
        f"{'Add to' if has_configuration else 'Write to'} {configuration}{left}:",
        "",
        *(f"  {line}" for line in text),
        "",
        f"then: {next_step}",
    ]
