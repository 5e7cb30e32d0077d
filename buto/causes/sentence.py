"""The answer in a sentence: how much more, by which method, and what changed in it."""

from __future__ import annotations

from buto.causes.changes import release_of
from buto.causes.counted import CONSTRUCTOR
from buto.causes.model import CallCounts, Cause, Explanation, Tier
from buto.causes.profiles import ProfileKind
from buto.report.check_report import CodeCause
from buto.run.units import format_number, format_quantity

_OF = {
    ProfileKind.ALLOCATION: "allocated",
    ProfileKind.RETENTION: "kept",
    ProfileKind.CPU: "of processor time",
    ProfileKind.STARTED: "started",
    ProfileKind.ALIVE: "alive",
    ProfileKind.CLASSES: "defined",
    ProfileKind.LOADED: "loaded",
    ProfileKind.BUFFERS: "reserved",
    ProfileKind.FILES: "open",
    ProfileKind.EXCEPTIONS: "thrown",
    ProfileKind.LOCKS: "of waiting for locks",
    ProfileKind.IO: "read and written",
    ProfileKind.NATIVE: "kept outside the heap",
}


_SAMPLED_BY_CALL = (ProfileKind.CPU, ProfileKind.LOCKS, ProfileKind.IO)
"""Kinds of which each call uses some, which nobody counts."""

_MILLION = " million"


def sentence(explanation: Explanation) -> str:
    """Return the likeliest cause in a sentence; empty if nothing rose.

    An echo is told only if there is nothing else.
    """
    return next(map(of_cause, likely(explanation)), "")


def likely(explanation: Explanation) -> list[Cause]:
    """Return the causes, then what is most likely; echoes last, and no noise."""
    causes = [
        cause
        for cause in explanation.causes
        if cause.tier is not Tier.OTHER and not explanation.is_noise(cause)
    ]
    return sorted(causes, key=lambda cause: cause.is_echo)


def in_check(explanation: Explanation) -> tuple[CodeCause, ...]:
    """Return what the report of a check has of an explanation."""
    return tuple(
        CodeCause(
            of_cause(cause),
            cause.tier.value,
            cause.kind.value,
            cause.method,
            cause.file,
            cause.line,
            cause.code,
            cause.kind.about.unit,
            cause.old,
            cause.new,
            cause.sure,
            cause.commit,
            cause.diff,
        )
        for cause in likely(explanation)
    )


def of_cause(cause: Cause) -> str:
    """Return what is known of one method in a sentence."""
    rise = format_quantity(float(f"{cause.new - cause.old:.3g}"), cause.kind.about.unit)
    makes = f", as `{cause.type}`" if cause.type else ""
    through = f", through `{cause.at}`{_calls_clause(cause, cause.at)}" if cause.at else ""
    held = f", held by `{cause.held_by}`" if cause.held_by else ""
    place = f" ({_place(cause)})" if _place(cause) else ""
    clause = f"{_change(cause)}{_calls_clause(cause, cause.method)}{_clause_of_made(cause)}{through}{held}"
    return f"+{rise} {_OF[cause.kind]}{makes}: `{cause.method}`{place}{clause}."


def times(calls: CallCounts) -> str:
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
    if cause.kind is ProfileKind.ALLOCATION:
        # The JVM itself allocates a little in a thread, as when it compiles what that calls.
        sides = tuple(
            None if n_bytes is None else round(n_bytes) for n_bytes in (calls.old_bytes, calls.new_bytes)
        )
    elif cause.kind in _SAMPLED_BY_CALL:
        sums = ((cause.old, calls.old), (cause.new, calls.new))
        sides = tuple(float(f"{value / number:.2g}") if number else None for value, number in sums)
    parts = [format_quantity(mean, cause.kind.about.unit) for mean in sides if mean is not None]
    return " → ".join(dict.fromkeys(parts))


def _calls_clause(cause: Cause, method: str) -> str:
    calls = cause.calls_of(method)
    if calls is None:
        return ""
    how_often = "once" if times(calls) == "1" else f"{times(calls)} times"
    clause = f"called {how_often}{'' if calls.old else ', and never before'}"
    cost = each(cause) if method == cause.method else ""
    whole = " with what it calls" if cause.kind is ProfileKind.ALLOCATION else ""
    return f", {clause}{f', {cost} each{whole}' if cost else ''}"


def _clause_of_made(cause: Cause) -> str:
    calls = cause.calls_of(f"{cause.type}.{CONSTRUCTOR}")
    if calls is None or calls.new <= calls.old:
        return ""
    before = f"in place of {_number(calls.old)}" if calls.old else "where none was"
    return f", a `{cause.type.rpartition('.')[2]}` is made {_number(calls.new)} times {before}"


def _number(count: int) -> str:
    """Return a count, as ``1,250`` or ``3.1 million``."""
    if count < 1_000_000:
        return format_number(count)
    return f"{format_number(float(f'{count / 1e6:.3g}'))}{_MILLION}"


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
