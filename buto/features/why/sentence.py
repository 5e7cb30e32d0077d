"""The answer in a sentence: how much more, by which method, and what changed in it."""

from __future__ import annotations

from buto.features.why.changes import release_of
from buto.features.why.counted import CONSTRUCTOR
from buto.features.why.model import Calls, Cause, Explanation, Tier
from buto.report.check_report import CodeCause
from buto.run.profiles import Kind
from buto.run.units import format_number, format_quantity

_OF = {
    Kind.ALLOCATION: "allocated",
    Kind.RETENTION: "kept",
    Kind.CPU: "of processor time",
    Kind.STARTED: "started",
    Kind.ALIVE: "alive",
    Kind.CLASSES: "defined",
    Kind.LOADED: "loaded",
    Kind.BUFFERS: "reserved",
    Kind.FILES: "open",
    Kind.EXCEPTIONS: "thrown",
    Kind.LOCKS: "of waiting for locks",
    Kind.IO: "read and written",
    Kind.NATIVE: "kept outside the heap",
}


_SAMPLED_BY_CALL = (Kind.CPU, Kind.LOCKS, Kind.IO)
"""Kinds of which each call uses some, which nobody counts."""

_MILLION = " million"


def sentence(explanation: Explanation) -> str:
    """Return the likeliest cause in a sentence; empty if nothing rose.

    An echo is told only if there is nothing else.
    """
    return next(map(of_cause, likely(explanation)), "")


def likely(explanation: Explanation) -> list[Cause]:
    """Return the causes, then what is most likely; echoes last."""
    found = [one for one in explanation.causes if one.tier is not Tier.OTHER]
    return sorted(found, key=lambda one: one.is_echo)


def in_check(explanation: Explanation) -> tuple[CodeCause, ...]:
    """Return what the report of a check has of an explanation."""
    return tuple(
        CodeCause(
            of_cause(one),
            one.tier.value,
            one.kind.value,
            one.method,
            one.file,
            one.line,
            one.code,
            one.kind.about.unit,
            one.old,
            one.new,
            one.sure,
            one.commit,
            one.diff,
        )
        for one in likely(explanation)
    )


def of_cause(cause: Cause) -> str:
    """Return what is known of one method in a sentence."""
    rise = format_quantity(float(f"{cause.new - cause.old:.3g}"), cause.kind.about.unit)
    makes = f", as `{cause.type}`" if cause.type else ""
    through = f", through `{cause.at}`{_called(cause, cause.at)}" if cause.at else ""
    held = f", held by `{cause.held_by}`" if cause.held_by else ""
    place = f" ({_place(cause)})" if _place(cause) else ""
    told = f"{_change(cause)}{_called(cause, cause.method)}{_made(cause)}{through}{held}"
    return f"+{rise} {_OF[cause.kind]}{makes}: `{cause.method}`{place}{told}."


def times(calls: Calls) -> str:
    """Return the calls of the old and the new program, as ``1 → 3.1 million``; once if they are equal."""
    old, new = _number(calls.old), _number(calls.new)
    same_scale = old.endswith(_MILLION) and new.endswith(_MILLION)
    return (
        new if old == new or not calls.old else f"{old.removesuffix(_MILLION) if same_scale else old} → {new}"
    )


def each(cause: Cause) -> str:
    """Return what one call of the method uses in the old and the new program; empty if that is not known.

    It is counted for allocation, with all that the method calls; for other kinds it is the sampled sum by the
    calls.
    """
    calls = cause.calls_of(cause.method)
    if calls is None:
        return ""
    sides: tuple[float | None, ...] = ()
    if cause.kind is Kind.ALLOCATION:
        # The JVM itself allocates a little in a thread, as when it compiles what that calls.
        sides = tuple(None if one is None else round(one) for one in (calls.old_bytes, calls.new_bytes))
    elif cause.kind in _SAMPLED_BY_CALL:
        sums = ((cause.old, calls.old), (cause.new, calls.new))
        sides = tuple(float(f"{value / number:.2g}") if number else None for value, number in sums)
    parts = [format_quantity(one, cause.kind.about.unit) for one in sides if one is not None]
    return " → ".join(dict.fromkeys(parts))


def _called(cause: Cause, method: str) -> str:
    calls = cause.calls_of(method)
    if calls is None:
        return ""
    how_often = "once" if times(calls) == "1" else f"{times(calls)} times"
    told = f"called {how_often}{'' if calls.old else ', and never before'}"
    cost = each(cause) if method == cause.method else ""
    whole = " with what it calls" if cause.kind is Kind.ALLOCATION else ""
    return f", {told}{f', {cost} each{whole}' if cost else ''}"


def _made(cause: Cause) -> str:
    calls = cause.calls_of(f"{cause.type}.{CONSTRUCTOR}")
    if calls is None or calls.new <= calls.old:
        return ""
    before = f"in place of {_number(calls.old)}" if calls.old else "where none was"
    return f", a `{cause.type.rpartition('.')[2]}` is made {_number(calls.new)} times {before}"


def _number(count: int) -> str:
    """Return a count, as ``1,250`` or ``3.1 million``."""
    return f"{count:,}" if count < 1_000_000 else f"{format_number(float(f'{count / 1e6:.3g}'))}{_MILLION}"


def _place(cause: Cause) -> str:
    name, version = release_of(cause.archive)
    line = f"{cause.file}:{cause.line}" if cause.line > 1 else cause.file
    return ", ".join(part for part in (f"{name} {version}".strip(), line) if part)


def _change(cause: Cause) -> str:
    if cause.is_echo:
        return ", which did not change and is far from all that did"
    since = f" since {cause.since}" if cause.since else ""
    commit = f" by `{cause.commit}`" if cause.commit else ""
    return f", {cause.code}{since}{commit}" if cause.code else ""
