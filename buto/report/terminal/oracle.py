"""Print changes that a user decides on: those of a new oracle, and the settings that ``buto suggest`` found.

The first are for the user who accepts the oracle; the second come with the lines to add to the configuration.
"""

from __future__ import annotations

from collections.abc import Sequence

from buto.judging.effects import MINIMUM_EFFECT
from buto.judging.readable import Level
from buto.judging.verdict import Effect
from buto.oracle.check import Changed, surroundings
from buto.oracle.difference import Row, difference
from buto.oracle.model import Oracle
from buto.oracle.suggestion import Cause, Share, Suggestion, Truth
from buto.report.document import EFFECT_COLOUR, Line, aligned, line
from buto.report.sanitize import MAX_TEXT, one_line
from buto.run.units import format_change, format_count, format_percent, format_quantity, format_ratio

MAX_ROWS = 20
"""Of each kind; the others are counted."""

_LABELS = {"target": "program", "judge": "judged", "runs": "training runs", "environment": "environment"}
_NONE = "none"


def change_lines(known: Oracle, learned: Oracle, *, max_rows: int | None = MAX_ROWS) -> list[Line]:
    """Return the lines to print, see :func:`difference_lines`, of an oracle and the one that replaces it."""
    rows, changed = difference(known, learned), surroundings(known, learned)
    return difference_lines(learned.test, rows, changed, max_rows=max_rows)


def difference_lines(
    test: str, rows: Sequence[Row], changed: Sequence[Changed], *, max_rows: int | None = MAX_ROWS
) -> list[Line]:
    """Return the lines to print: a headline, and a line for each change.

    Args:
        rows, changed: what :mod:`buto.oracle.difference` and :mod:`buto.oracle.check` give.
        max_rows: of each kind; None for all.
    """
    there = [(row, row.old, row.new) for row in rows if row.old is not None and row.new is not None]
    moved = [one for one in there if one[0].has_moved]
    kinds = (
        [_moved(*one) for one in moved],
        [_width("wider", *one) for one in there if one[0].is_wider],
        [_width("narrower", *one) for one in there if one[0].is_narrower],
        [_one_sided("new", row, row.new) for row in rows if row.old is None],
        [_one_sided("gone", row, row.old) for row in rows if row.new is None],
        [_beside(one) for one in changed],
    )
    count = f"{len(moved) or 'none'} of {format_count(len(there), 'number')}"
    lines = [line(one_line(f"{test}: {count} changed by more than runs vary"))]
    for kind in kinds:
        shown = kind if max_rows is None else kind[:max_rows]
        lines += shown
        if len(shown) < len(kind):
            lines.append(line(f"  and {len(kind) - len(shown)} more (-v)"))
    return lines


def _moved(row: Row, old: Level, new: Level) -> Line:
    change = format_change(old.expected, new.expected, row.unit)
    text = change if row.effect is Effect.UNKNOWN else f"{change}, {row.effect.value}"
    before, after = (format_quantity(level.expected, row.unit) for level in (old, new))
    return line(
        "  ", _subject(row), f"  {row.number} {before} -> {after}  ", (text, EFFECT_COLOUR[row.effect])
    )


def _width(word: str, row: Row, old: Level, new: Level) -> Line:
    before, after = (format_quantity(level.half_width, row.unit) for level in (old, new))
    ratio = format_ratio(row.width_ratio)
    return line(*_label(word), _subject(row), f"  {row.number} +-{before} -> +-{after} ({ratio})")


def _one_sided(word: str, row: Row, level: Level | None) -> Line:
    text = "" if level is None else f"{row.number} {format_quantity(level.expected, row.unit)}"
    text += f" ({one_line(row.reason, MAX_TEXT)})" if row.reason else ""
    return line(*_label(word), _subject(row), f"  {text}")


def _beside(one: Changed) -> Line:
    before, after = (_NONE if text is None else one_line(text, MAX_TEXT) for text in (one.old, one.new))
    return line(*_label(_LABELS[one.part]), f"{one_line(one.key, MAX_TEXT)}: {before} -> {after}")


def _label(word: str) -> tuple[str | tuple[str, str], ...]:
    return "  ", (f"{word}:", "cyan"), " "


def _subject(row: Row) -> tuple[str, str]:
    return one_line(row.subject, MAX_TEXT), "bold"


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
    found: Suggestion, configuration: str, next_step: str, *, has_configuration: bool = True
) -> list[str]:
    """Return everything that a suggestion says.

    Args:
        configuration: the name of the file with the settings.
        next_step: how the settings are learned, or how a false alarm is labelled.
        has_configuration: whether the file exists.
    """
    regressions = sum(one.check.truth is Truth.REGRESSION for one in found.checks)
    sections = (
        _causes(found.causes),
        _checks(found),
        _rates(found),
        _remarks(found),
        _proposal(found, configuration, next_step, has_configuration),
    )
    alarms = format_count(len(found.false_alarms), "false alarm")
    among = f"among them {alarms} and {format_count(regressions, 'regression')}"
    return [
        f"{one_line(found.test)}: {format_count(len(found.checks), 'check')} judged again, {among}",
        *(line for lines in sections if lines for line in ("", *lines)),
    ]


def _causes(causes: Sequence[Cause]) -> list[str]:
    rows = [
        (
            one_line(one.subject, MAX_TEXT),
            str(one.n_alarms),
            format_quantity(one.largest, one.unit),
            str(one.n_regressions),
            "" if one.smallest is None else format_quantity(one.smallest, one.unit),
        )
        for one in causes[:MOST_ROWS]
    ]
    heads = ("PROPERTY THAT DIFFERED", "FALSE ALARMS", "AT MOST BY", "REGRESSIONS", "AT LEAST BY")
    return _table(heads, rows, len(causes))


def _checks(found: Suggestion) -> list[str]:
    labelled = [one for one in found.checks if one.check.truth is not Truth.UNKNOWN]
    # More than a good one that passes.
    told = [
        one for one in labelled if one.check.truth is not Truth.UNCHANGED or one.now.fails or one.then.fails
    ]
    rows = [
        (
            f"{one.check.at:%Y-%m-%d %H:%M}",
            _KNOWN[one.check.truth] if one.now.fails or one.check.truth is not Truth.UNCHANGED else "good",
            *("fails" if judged.fails else "passes" for judged in (one.now, one.then)),
            one_line(one.check.reason, MAX_TEXT),
        )
        for one in told[-MOST_ROWS:]
    ]
    return _table(("WHEN (UTC)", "LABEL", "NOW", "WITH THEM", "REASON"), rows, len(told))


def _table(heads: tuple[str, ...], rows: Sequence[tuple[str, ...]], total: int) -> list[str]:
    more = [f"and {total - MOST_ROWS} more (--json)"] if total > MOST_ROWS else []
    return [*aligned([heads, *rows]), *more] if rows else []


def _rates(found: Suggestion) -> list[str]:
    now, then, held_out = found.now, found.then, found.held_out
    columns = [now, then] if found.effects else [now]
    header = ["SHARE OF CHECKS THAT FAIL", "NOW", "WITH THEM"][: 1 + len(columns)]
    if found.effects and held_out is not None and found.n_held_out:
        columns.append(held_out)
        header.append("HELD OUT")
    rows = [
        ("unchanged program", *(_share(one.alarms) for one in columns)),
        ("regressions", *(_share(one.found) for one in columns)),
    ]
    if now.meant.of:
        rows.append(("changes on purpose", *(_share(one.meant) for one in columns)))
    return aligned([tuple(header), *rows])


def _share(share: Share) -> str:
    if not share.of:
        return "none known"
    least, most = (format_percent(round(end, 3)) for end in share.bounds)
    return f"{share.count} of {share.of} ({least} to {most})"


def _remarks(found: Suggestion) -> list[str]:
    texts = []
    if found.now.alarms.of or found.now.found.of:
        texts.append("In brackets: the rates that so few checks leave possible (95 %).")
    if found.effects and found.n_held_out:
        held_out = format_count(found.n_held_out, "labelled failure")
        texts.append(f"Held out: each of {held_out} is judged by what is suggested without it.")
    unlabelled = len(found.unlabelled_alarms)
    if unlabelled:
        texts.append(f"{format_count(unlabelled, 'failed check')} without a label: in none of the numbers.")
    by_check = len(found.unconfirmed)
    if by_check:
        are = "regression is" if by_check == 1 else "regressions are"
        texts.append(
            f"{by_check} {are} labelled by the check alone: in no share. "
            "If that was a false alarm, label its runs good."
        )
    for why in dict.fromkeys(one.why for one in found.unjudged):
        count = sum(one.why is why for one in found.unjudged)
        texts.append(f"{format_count(count, 'check')} not judged again: {why.value}.")
    return texts


def _proposal(found: Suggestion, configuration: str, next_step: str, has_configuration: bool) -> list[str]:
    """Return the lines to add to the configuration, with the minimum effects that it has already."""
    if not found.false_alarms:
        return [
            "Nothing to suggest: no false alarm is labelled that the present settings would raise.",
            f"after a false alarm: {next_step}",
        ]
    if not found.effects:
        return ["No minimum effect avoids a false alarm without missing a regression."]
    import yaml

    head = {} if has_configuration else {"version": CONFIGURATION_VERSION}
    data = {**head, "tests": {found.test: {"judge": {MINIMUM_EFFECT: found.minimum_effect}}}}
    text = (
        str(yaml.safe_dump(data, sort_keys=False, allow_unicode=True, width=10**6)).rstrip("\n").split("\n")
    )
    missed = [one for one in found.false_alarms if one.then.fails]
    left = f"; {format_count(len(missed), 'false alarm')} cannot be avoided" if missed else ""
    return [
        f"{'Add to' if has_configuration else 'Write to'} {configuration}{left}:",
        "",
        *(f"  {line}" for line in text),
        "",
        f"then: {next_step}",
    ]
