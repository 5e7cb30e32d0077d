"""A stored result as it is read again: what history and buto why need of it, checked by its types.

:mod:`buto.report.formats.json_result` writes it; ``buto/schemas/result.schema.json`` has all of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from msgspec import Meta, Struct

from buto.judging.verdict import Effect
from buto.report.result import FORMAT, VERSION
from buto.run.stored import Moment, Share, check_moment, parse_json, read

_Place = Annotated[int, Meta(ge=0)]


class StoredFinding(Struct, frozen=True):
    subject: str
    effect: Effect | None = None


class StoredWaiver(Struct, frozen=True):
    """What allows a change: a trailer of a commit, or without one a budget."""

    commit: str = ""


class StoredWaived(Struct, frozen=True):
    """A change that is allowed, and what allows it."""

    finding: StoredFinding
    waivers: tuple[StoredWaiver, ...] = ()

    @property
    def is_meant(self) -> bool:
        """Return whether somebody has said so."""
        return any(waiver.commit for waiver in self.waivers)


class StoredHeadline(Struct, frozen=True):
    """A change that no other one accounts for, and what follows from it; places among the findings."""

    finding: _Place
    followers: tuple[_Place, ...] = ()


class StoredSince(Struct, frozen=True):
    """How much a property has changed since a release.

    Attributes:
        by_change: what the change under check has added; None if the sum itself was judged.
    """

    release: str
    by_change: float | None = None


class StoredVerdict(Struct, frozen=True):
    """A verdict.

    Attributes:
        headlines: the story, as places among the findings.
        welcome: whether all that changed is for the better.
        since: sums since the last release.
    """

    status: str
    p_value: Share | None
    findings: tuple[StoredFinding, ...]
    headlines: tuple[StoredHeadline, ...]
    welcome: bool = False
    waived: tuple[StoredWaived, ...] = ()
    since: tuple[StoredSince, ...] = ()

    @property
    def release(self) -> str:
        """Return the release of which the sum since was judged; empty if a change was."""
        return next((since.release for since in self.since if since.by_change is None), "")


class StoredRun(Struct, frozen=True):
    id: str
    valid: bool
    commit: str | None
    levels: Mapping[str, float]


class StoredTest(Struct, frozen=True):
    status: str
    runs: tuple[StoredRun, ...]
    verdict: StoredVerdict | None


class _Document(Struct, frozen=True):
    command: str
    finished: Moment
    tests: Annotated[tuple[StoredTest, ...], Meta(min_length=1)]


class StoredResult(Struct, frozen=True):
    """The result of one test of a command, which ended at an aware time."""

    command: str
    finished: Moment
    test: StoredTest


GROUPED = 5
"""The version before headlines: a group was a list of places, the leading one first."""


def upgrade(data: dict[str, Any]) -> dict[str, Any]:
    """Return a stored document in the shape of the present version, as far as it is read."""
    if data.get("version") != GROUPED or not isinstance(data.get("tests"), list):
        return data

    def headline(group: Any) -> Any:
        is_group = isinstance(group, list) and bool(group)
        return {"finding": group[0], "followers": group[1:]} if is_group else group

    def test(old: Any) -> Any:
        verdict = old.get("verdict") if isinstance(old, dict) else None
        if not isinstance(verdict, dict) or not isinstance(verdict.get("groups"), list):
            return old
        return {**old, "verdict": {**verdict, "headlines": list(map(headline, verdict["groups"]))}}

    return {**data, "tests": list(map(test, data["tests"]))}


def result_of(content: bytes) -> StoredResult:
    """Return a stored result; ValueError if it is none, or of another version, with the field."""
    data = parse_json(content)
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise ValueError(f"it is not marked as a {FORMAT}")
    if data.get("version") not in (GROUPED, VERSION):
        raise ValueError(f"it is of version {data.get('version')!r}; this buto reads {GROUPED} and {VERSION}")
    document = read(upgrade(data), _Document)
    check_moment(document.finished, "finished")
    test = document.tests[0]
    if test.verdict is not None:
        places = [
            place for headline in test.verdict.headlines for place in (headline.finding, *headline.followers)
        ]
        if places and max(places) >= len(test.verdict.findings):
            raise ValueError(
                f"'tests[0].verdict.headlines' has the place {max(places)}, of which is no finding"
            )
    return StoredResult(document.command, document.finished, test)
