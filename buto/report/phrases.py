"""A story in words: what a program does more or less, as people say it, and the first line of a check."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from buto.judging.procedure import Why
from buto.judging.story import Headline, Matter, Story, matter_of, story_of, tell
from buto.judging.verdict import GROWTH, LIMIT, OUTSIDE, Amount, Difference, Finding, Status, Verdict
from buto.report import words
from buto.report.sanitize import MAX_TEXT, one_line
from buto.run.properties import LIVE_CLASSES, split_name, title_of
from buto.run.units import (
    format_count,
    format_number,
    format_percent,
    format_quantity,
    format_ratio,
    format_seconds,
)

MOST_HEADLINES = 3
MOST_FOLLOWERS = 3
MOST_NOTED = 3
"""Changes that the first line names."""

MOST_OF_IT = 0.5
"""Share of what is kept more or less from which on a class is named beside it."""

TIMES = 3.0
"""From so many times as much on, a share is told as a factor."""

_VERBS = {
    "jvm.memory.heap.live": "keeps",
    "jvm.memory.allocated": "allocates",
    "jvm.class.loaded": "loads",
    "jvm.thread.started": "starts",
    "process.io.bytes[read]": "reads",
    "process.io.bytes[write]": "writes",
}
"""What a program does with more or less of a property."""

_NOUNS = {
    "jvm.thread.count": "thread",
    "jvm.thread.daemon.count": "daemon thread",
    "jvm.thread.started": "thread",
    "jvm.thread.virtual.count": "virtual thread",
    "jvm.thread.virtual.pinned": "pin",
    "jvm.thread.virtual.rejected": "rejected virtual thread",
    "process.thread.count": "process thread",
    "process.unix.file_descriptor.count": "open file",
    "process.socket.count": "socket",
    "jvm.gc.count": "garbage collection",
    "jvm.class.loaded": "class",
    "jvm.class.count": "class",
    "jvm.class.initialized": "initialized class",
    "jvm.lock.contended": "contended lock",
    "jvm.lock.parked": "woken thread",
    "jvm.buffer.count": "buffer",
    "jvm.buffer.count[direct]": "direct buffer",
    "jvm.buffer.count[mapped]": "mapped buffer",
}
"""What is counted in whole numbers, of which people name the number first."""


def headline(verdict: Verdict) -> str:
    """Return the first line without the status and the test's name, which each format sets its own way."""
    whole = _headline(verdict)
    whole = f"{one_line(verdict.started_as, MAX_TEXT)}; {whole}" if verdict.started_as else whole
    # How far a verdict can be trusted comes before what it says.
    return f"without turns, {whole}" if verdict.without_turns else whole


def _headline(verdict: Verdict) -> str:
    run_word = "run" if len(verdict.run_ids) == 1 else format_count(len(verdict.run_ids), "run")
    known = f"the {verdict.n_training} {verdict.roles.known_runs}"
    story, noted = story_of(verdict), tell(verdict.noted)
    if verdict.status is Status.INCONCLUSIVE:
        return "could not be judged"
    if verdict.status is Status.REGRESSION:
        if not verdict.findings:
            return f"differs from {known}"
        grown = [finding for finding in verdict.findings if finding.source == GROWTH]
        if grown:
            others = replace(verdict, findings=verdict.changes)
            return "; ".join([*([_headline(others)] if others.findings else []), *map(_without_size, grown)])
        if _ends_with(verdict, Why.OUTSIDE):
            differs = f"old and new both differ from training: {list_headlines(story)}"
            return f"{differs}; something outside has changed"
        return sentence(story)
    if _ends_with(verdict, Why.KNOWN_OUTSIDE):
        return f"{verdict.reasons[0]}: train again here{_beside_training(verdict.noted)}"
    if _ends_with(verdict, Why.BUSIER):
        return f"{verdict.reasons[0]}{_beside_training(verdict.noted)}"
    chance = words.chance_of(verdict)
    certain = f", {chance}" if chance else ""
    if verdict.findings:
        return f"{list_headlines(story)}, not enough to fail against {known}{certain}"
    if verdict.waived:
        accepted = list_headlines(tell([waived_finding.finding for waived_finding in verdict.waived]))
        return f"accepted by the change itself: {accepted}; no other change that matters against {known}"
    if verdict.noted:
        return f"noted: {list_headlines(noted)}; no change that matters against {known}{certain}"
    return f"the {run_word} did what {known} did{certain}"


def _beside_training(noted: Sequence[Finding]) -> str:
    """Return what both programs do otherwise than in training, and what is noted between the two."""
    both = [finding for finding in noted if finding.source == OUTSIDE]
    others = [finding for finding in noted if finding.source != OUTSIDE]
    parts = (
        ("both, against training: ", list_headlines(tell(both))),
        ("noted: ", list_headlines(tell(others))),
    )
    return "".join(f"; {word}{told}" for word, told in parts if told)


def sentence(story: Story) -> str:
    """Return the story of a check that fails: what is worse, with what follows from it; then the better."""
    if story.is_welcome:
        return f"{_with_followers(story.better)}: only for the better, so accept it"
    better = _list(story.better, MOST_HEADLINES - 1)
    return f"{_with_followers(story.other)}{f'; but better: {better}' if better else ''}"


def _with_followers(headlines: Sequence[Headline]) -> str:
    shown = headlines[:MOST_HEADLINES]
    every = [finding for headline in shown for finding in headline.beside]
    followers = sorted(every, key=lambda finding: list(Matter).index(matter_of(finding.subject)))[
        :MOST_FOLLOWERS
    ]
    n_followers = sum(len(headline.followers) - (class_of(headline) is not None) for headline in shown)
    beside = _join(
        [brief(follower) for follower in followers], n_followers - len(followers) if followers else 0
    )
    return f"{_list(headlines, MOST_HEADLINES)}{f'; this accounts for {beside}' if beside else ''}"


def _list(headlines: Sequence[Headline], most: int) -> str:
    return _join(list(map(phrase, headlines[:most])), len(headlines) - most)


def _join(texts: Sequence[str], left: int) -> str:
    if left > 0:
        return f"{', '.join(texts)} and {format_count(left, 'other')}"
    return " and ".join(filter(None, (", ".join(texts[:-1]), *texts[-1:])))


def list_headlines(story: Story) -> str:
    """Return the first headlines of a story; empty if it has none."""
    return _list(story.headlines, MOST_NOTED)


def _ends_with(verdict: Verdict, why: Why) -> bool:
    """Return whether a check has ended for this reason."""
    return bool(verdict.steps) and verdict.steps[-1].why is why


def class_of(headline: Headline) -> Difference | None:
    """Return the class whose live objects changed most with what is kept; None if none is known."""
    classes = [
        follower
        for follower in headline.followers
        if isinstance(follower, Difference)
        and follower.subject == LIVE_CLASSES.name
        and follower.size is not None
    ]
    return max(
        classes, key=lambda follower: abs(follower.size.change) if follower.size else 0.0, default=None
    )


def phrase(headline: Headline) -> str:
    """Return a headline as ``keeps 34 MiB more (4.1x, mostly byte[])`` or ``2 more threads (7 → 9)``."""
    finding = headline.finding
    size = finding.told_size if isinstance(finding, Difference) else None
    if not isinstance(finding, Difference) or size is None:
        return _without_size(finding)
    when = _when(size)
    if finding.unit.startswith("{") and _noun(finding):
        return f"{_say_count(finding, size)} ({_old_to_new(finding, size)}){when}"
    kept = class_of(headline)
    of_kept = 0.0 if kept is None or kept.size is None else kept.size.change
    is_most = of_kept * size.change >= MOST_OF_IT * size.change**2 > 0
    of_class = f"mostly {short_name(kept)}" if kept is not None and is_most else ""
    inside = ", ".join(filter(None, (share(size), of_class)))
    said = _verb(finding, size)
    if said:
        return f"{said}{f' ({inside})' if inside else ''}{when}"
    return f"{title(finding)} {inside or words.change(finding)} ({_old_to_new(finding, size)}){when}"


def brief(finding: Finding) -> str:
    """Return what follows from a headline as ``14 more garbage collections`` or ``processor time +149 %``."""
    size = finding.told_size if isinstance(finding, Difference) else None
    if not isinstance(finding, Difference) or size is None:
        return _without_size(finding)
    if finding.part:
        return f"{short_name(finding)} {share(size)}"
    if finding.unit.startswith("{") and _noun(finding):
        return _say_count(finding, size)
    if finding.unit == "By":
        sign = "+" if size.change > 0 else "-"
        return f"{title(finding)} {sign}{format_quantity(abs(size.change), finding.unit)}"
    return f"{title(finding)} {share(size) or words.change(finding)}"


def _without_size(finding: Finding) -> str:
    if finding.source == GROWTH:
        return f"grows {words.change(finding)}: {one_line(finding.text, MAX_TEXT)}"
    if finding.source == LIMIT:
        return one_line(finding.text, MAX_TEXT)
    inside = finding.text if not isinstance(finding, Difference) and finding.text else words.change(finding)
    return f"{title(finding)} ({one_line(inside, words.MAX_NAME)})"


def title(finding: Finding) -> str:
    """Return what people call the subject of a finding."""
    part = f" of {short_name(finding)}" if isinstance(finding, Difference) and finding.part else ""
    if part:
        return f"live objects{part}"
    return title_of(one_line(finding.subject, words.MAX_NAME))


def short_name(finding: Difference) -> str:
    """Return the class of a finding without its package."""
    return words.short_class(finding.part)


def share(size: Amount) -> str:
    """Return a change as a share, ``+24 %`` or ``4.1x``; empty if there was nothing, or it is the same."""
    if size.old <= 0 or size.new < 0 or size.change == 0:
        return ""
    ratio = size.new / size.old
    if ratio >= TIMES:
        return format_ratio(ratio)
    return f"{'+' if size.change > 0 else '-'}{format_percent(abs(size.change / size.old))}"


def _verb(finding: Difference, size: Amount) -> str:
    """Return what the program does, as ``allocates 463 MiB more``; empty where there is no verb for it."""
    quantity = format_quantity(abs(size.change), finding.unit)
    if finding.subject == "run.duration":
        return f"takes {quantity} {'longer' if size.change > 0 else 'less'}"
    if finding.part:
        return f"keeps {quantity} {_more(size)} of {short_name(finding)}"
    verb = _VERBS.get(finding.subject, "")
    return f"{verb} {quantity} {_more(size)}" if verb else ""


def _say_count(finding: Difference, size: Amount) -> str:
    verb = _VERBS.get(finding.subject, "")
    number = abs(size.change)
    # Means over runs: of many, parts of one say nothing.
    whole = float(round(number)) if number >= TIMES else number
    said = format_count(whole, f"{'more' if size.change > 0 else 'fewer'} {_noun(finding)}")
    return f"{f'{verb} ' if verb else ''}{said}"


def _noun(finding: Difference) -> str:
    return _NOUNS.get(finding.subject) or _NOUNS.get(split_name(finding.subject)[0], "")


def _more(size: Amount) -> str:
    return "more" if size.change > 0 else "less"


def _old_to_new(finding: Difference, size: Amount) -> str:
    if _noun(finding):
        return f"{format_number(size.old)} → {format_number(size.new)}"
    # The part of the run is told in words.
    measure = size.measure if size.window_s is None else ""
    return words.old_to_new(replace(finding, amount=replace(size, measure=measure)))


def _when(size: Amount) -> str:
    """Return when in a run it changed, where only a part of the run did."""
    if size.window_s is None:
        return ""
    start, end = size.window_s
    if start == 0:
        return f", early: in the first {format_seconds(end)}"
    return f", between {format_seconds(start)} and {format_seconds(end)}"
