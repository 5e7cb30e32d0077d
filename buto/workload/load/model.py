"""The configuration of a load. Plain values; nothing is sent here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum


class Arrivals(Enum):
    """How the times at which requests are due are distributed over a phase."""

    POISSON = "poisson"
    """At random, as the requests of many users who do not know of each other."""
    EVEN = "even"


@dataclass(frozen=True, slots=True)
class RequestKind:
    """One kind of request. Path, header values and body may have variables, as ``${n}``.

    Attributes:
        name: names its properties.
        path: appended to the URL of the load.
        status: the HTTP status of a good answer; None for any below 400.
    """

    name: str
    path: str
    method: str = "GET"
    headers: Mapping[str, str] = field(default_factory=dict)
    body: str | None = None
    status: int | None = None


@dataclass(frozen=True, slots=True)
class Login:
    """One request before all others; its cookies are sent with them.

    Attributes:
        keep: variables that other requests may use, each with the place of its value in the JSON of the
            answer: keys and numbers, joined by dots.
    """

    request: RequestKind
    keep: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Phase:
    """A time of constant rate and mix; its beginning is a mark on the time axis.

    Attributes:
        rate: requests a second, of all kinds together.
        mix: by the name of a kind, its share, as a weight.
    """

    name: str
    duration_s: float
    rate: float
    mix: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Variable:
    """Values that requests choose from at random: whole numbers in a range, or texts.

    Attributes:
        first, last: of the range; both are in it.
        texts: empty for a range.
    """

    first: int = 0
    last: int = 0
    texts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Load:
    """Requests that are due at times of their own, whether or not earlier ones were answered (an open loop).

    Attributes:
        url: begins the URLs of all requests; ``${port}`` is the port that was waited for.
        seed: of the times, of the order of kinds and of the variables: the same in all runs.
        interval_s: over which latencies are summarised.
        timeout_s: an answer that takes longer is a failure.
        may_fail: share of requests that may fail before the run is not valid.
    """

    url: str
    kinds: tuple[RequestKind, ...]
    phases: tuple[Phase, ...]
    arrivals: Arrivals = Arrivals.POISSON
    seed: int = 0
    interval_s: float = 1.0
    timeout_s: float = 10.0
    login: Login | None = None
    variables: Mapping[str, Variable] = field(default_factory=dict)
    may_fail: float = 0.0

    @property
    def duration_s(self) -> float:
        return sum(phase.duration_s for phase in self.phases)
