"""The answer in a sentence: how much more, by which method, and what changed in it."""

from __future__ import annotations

from buto.features.why.changes import release_of
from buto.features.why.model import Cause, Explanation, Tier
from buto.run.profiles import Kind
from buto.run.units import format_quantity

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


def sentence(explanation: Explanation) -> str:
    """Return the likeliest cause in a sentence; empty if nothing rose.

    An echo is told only if there is nothing else.
    """
    likely = [one for one in explanation.causes if one.tier is not Tier.OTHER]
    # In the order of causes, which has those that are named first.
    found = sorted(likely, key=lambda one: one.is_echo)
    return of_cause(found[0]) if found else ""


def of_cause(cause: Cause) -> str:
    """Return what is known of one method in a sentence."""
    rise = format_quantity(float(f"{cause.new - cause.old:.3g}"), cause.kind.about.unit)
    makes = f", as `{cause.type}`" if cause.type else ""
    through = f", through `{cause.at}`" if cause.at else ""
    held = f", held by `{cause.held_by}`" if cause.held_by else ""
    place = f" ({_place(cause)})" if _place(cause) else ""
    return f"+{rise} {_OF[cause.kind]}{makes}: `{cause.method}`{place}{_change(cause)}{through}{held}."


def _place(cause: Cause) -> str:
    name, version = release_of(cause.archive)
    line = f"{cause.file}:{cause.line}" if cause.line > 1 else cause.file
    return ", ".join(part for part in (f"{name} {version}".strip(), line) if part)


def _change(cause: Cause) -> str:
    if cause.is_echo:
        return ", which did not change and is far from all that did"
    since = f" since {cause.since}" if cause.since else ""
    return f", {cause.code}{since}" if cause.code else ""
