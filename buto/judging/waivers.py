"""Intended changes, said where they are made: a trailer of a commit that waives one named finding.

    Buto-Accepts: shop jvm.memory.allocated +3% cache of rendered pages

A waiver holds for one test, one property, one direction, and up to one size, in the change that has it. All
other findings still fail. What looks like a waiver and is none is an error, never silence.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from buto.errors import UsageError
from buto.judging.effects import AND, NEVER, is_effect, size_of
from buto.judging.fitted_judge import NEEDS_TURNS
from buto.judging.procedure import Do, Next, Why, after_waivers
from buto.judging.verdict import Difference, Direction, Finding, Status, Verdict, Waived, Waiver
from buto.run.properties import LIVE_CLASSES, LIVE_SET, Property, is_counted, property_for

TRAILER = "Buto-Accepts"
EXAMPLE = f"{TRAILER}: shop jvm.memory.allocated +3% cache of rendered pages"
MOST_REASON = 500
LIVE_HEAP = LIVE_SET[0]

_LOOKS_LIKE_ONE = re.compile(r"buto[-_ ]?accepts?\s*:(.*)", re.IGNORECASE)
_WORD = re.compile(r'\s*(?:"([^"]*)"|(\S+))')
_SIGNS = {"+": Direction.MORE, "-": Direction.LESS, "\N{MINUS SIGN}": Direction.LESS}


def trailer_of(waiver: Waiver) -> str:
    """Return a waiver as it stands in a message."""
    sign = "+" if waiver.direction is Direction.MORE else "-"
    names = f"{_quote(waiver.test)} {_quote(waiver.subject)}"
    return f"{TRAILER}: {names} {sign}{waiver.size} {waiver.reason}"


def waivers_in(message: str, commit: str = "", author: str = "") -> tuple[Waiver, ...]:
    """Return the waivers of a commit's message, in their order.

    Args:
        commit, author: see :class:`Waiver`.

    Raises:
        UsageError: a line begins like a waiver and is none; the advice has the right form.
    """
    matches = (_LOOKS_LIKE_ONE.match(line) for line in message.splitlines())
    return tuple(_waiver(match[0], match[1], commit, author) for match in matches if match is not None)


def _waiver(line: str, value: str, commit: str, author: str) -> Waiver:
    where = f"commit {commit[:12]}: " if commit else ""

    def wrong(what: str) -> UsageError:
        return UsageError(f"{where}{line.strip()!r}: {what}", advice=EXAMPLE)

    if not line.startswith(f"{TRAILER}:"):
        raise wrong(f"the trailer is written {TRAILER}:")
    words, rest = [], value
    for _ in range(3):
        match = _WORD.match(rest)
        if match is None:
            raise wrong("it needs a test, a property, a size with a sign, and a reason")
        words.append(match[1] if match[1] is not None else match[2])
        rest = rest[match.end() :]
    test, subject, size = words
    reason = rest.strip()
    if not test or not subject:
        raise wrong("the test or the property is empty")
    if size[:1] not in _SIGNS:
        raise wrong(f"the size must begin with + or -, got {size!r}")
    if not is_effect(size[1:]) or size[1:] == NEVER or AND in size:
        raise wrong(f"{size!r} is no size such as +3%, -20ms, +512KiB or +1")
    if not reason:
        raise wrong("it has no reason")
    if len(reason) > MOST_REASON:
        raise wrong(f"the reason has more than {MOST_REASON} characters")
    return Waiver(test, subject, _SIGNS[size[0]], size[1:], reason, commit, author)


def waive(verdict: Verdict, test: str, waivers: Iterable[Waiver]) -> Verdict:
    """Return a verdict without the findings that were said before; it passes if no other is left.

    It is inconclusive instead if something could not be judged beside them, or if only turns could accuse
    what is left.

    Several waivers of one property and direction add up: each was for its own part of the change. A finding
    that is larger than all of them together stays whole. What is waived of the live heap is waived of its
    classes, too: their bytes are the same bytes.

    Raises:
        UsageError: a size has another unit than its property.
    """
    ours = [waiver for waiver in waivers if waiver.test == test]
    waived = [
        accepted for finding in verdict.findings if (accepted := _find_waived(finding, ours)) is not None
    ]
    whole = next(
        (waived_finding for waived_finding in waived if waived_finding.finding.subject == LIVE_HEAP), None
    )
    if whole is not None:
        waived += [
            accepted for finding in verdict.findings if (accepted := _part_of(finding, whole)) is not None
        ]
    if not waived:
        return verdict
    gone = {id(waived_finding.finding) for waived_finding in waived}
    left = tuple(finding for finding in verdict.findings if id(finding) not in gone)
    verdict = replace(verdict, findings=left, waived=(*verdict.waived, *waived))
    return _decide(verdict) if verdict.status is Status.REGRESSION else verdict


def _decide(verdict: Verdict) -> Verdict:
    """Return what a verdict that fails is by the findings that are left."""
    failed = verdict.steps[-1] if verdict.steps else Next(Do.FAIL, Why.METHOD)
    step = after_waivers(
        failed,
        has_findings=bool(verdict.findings),
        has_counted=any(is_counted(property_for(finding.subject)) for finding in verdict.findings),
        lacks=bool(verdict.undecided),
    )
    if step == failed:
        return verdict
    verdict = replace(verdict, steps=(*verdict.steps, step))
    if step.do is Do.PASS:
        return replace(verdict, status=Status.PASS)
    own = (NEEDS_TURNS,) if step.why is Why.NEEDS_TURNS else ()
    warnings = tuple(text for text in verdict.warnings if text not in verdict.undecided)
    reasons = (*verdict.reasons, *own, *verdict.undecided)
    return replace(verdict, status=Status.INCONCLUSIVE, reasons=reasons, warnings=warnings)


def _find_waived(finding: Finding, waivers: Sequence[Waiver]) -> Waived | None:
    size = finding.size if isinstance(finding, Difference) else None
    if not isinstance(finding, Difference) or size is None:
        return None
    direction = Direction.MORE if size.change > 0 else Direction.LESS
    ours = tuple(
        waiver for waiver in waivers if (waiver.subject, waiver.direction) == (finding.subject, direction)
    )
    if not ours or allowance(finding, size.old, ours) < abs(size.change):
        return None
    return Waived(finding, ours)


def allowance(finding: Difference, level: float, waivers: Iterable[Waiver]) -> float:
    """Return the sum of waivers of one finding, in its unit, of which shares are shares of this level.

    Raises:
        UsageError: a size has another unit than the property.
    """
    return sum(_amount(waiver, finding, level) for waiver in waivers)


def _part_of(finding: Finding, whole: Waived) -> Waived | None:
    """Return the bytes of a class as part of a waived live heap; None if they are more than is waived."""
    size, of = (part.size if isinstance(part, Difference) else None for part in (finding, whole.finding))
    if (
        not isinstance(finding, Difference)
        or finding.subject != LIVE_CLASSES.name
        or size is None
        or of is None
    ):
        return None
    allowed = allowance(whole.finding, of.old, whole.waivers)
    is_part = size.change * of.change > 0 and abs(size.change) <= allowed
    return Waived(finding, whole.waivers) if is_part else None


def _amount(waiver: Waiver, finding: Difference, level: float) -> float:
    """Return the size of a waiver in the unit of a finding; UsageError if it is of another unit."""
    prop = Property(finding.subject, finding.unit)
    try:
        return size_of(prop, level, waiver.size)
    except UsageError as error:
        where = f"commit {waiver.commit[:12]}: " if waiver.commit else ""
        raise UsageError(
            f"{where}{trailer_of(waiver)!r}: the size is of another unit than {finding.subject}",
            advice=EXAMPLE,
        ) from error


def _quote(word: str) -> str:
    return f'"{word}"' if re.search(r"\s", word) else word
