"""The configuration of a load, built from a document that follows the schema. Nothing is sent here.

The texts of requests may have variables: they are divided once, and filled in for each request.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from random import Random
from typing import Any

from msgspec import Struct, field, structs

from buto.errors import UsageError
from buto.measure.target import PORT, http_url
from buto.run.units import parse_seconds
from buto.run.window import RESERVED

TRACK = "load"
"""What the properties of a load begin with."""

FAILURES = f"{TRACK}.failures"


class Arrivals(Enum):
    """How the times at which requests are due are distributed over a phase."""

    POISSON = "poisson"
    """At random, as the requests of many users who do not know of each other."""
    EVEN = "even"


class RequestKind(Struct, frozen=True):
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


class Login(Struct, frozen=True):
    """One request before all others; its cookies are sent with them.

    Attributes:
        keep: variables that other requests may use, each with the place of its value in the JSON of the
            answer: keys and numbers, joined by dots.
    """

    request: RequestKind
    keep: Mapping[str, str] = field(default_factory=dict)


class Phase(Struct, frozen=True):
    """A time of constant rate and mix; its beginning is a mark on the time axis.

    Attributes:
        rate: requests a second, of all kinds together.
        mix: by the name of a kind, its share, as a weight.
        rate_to: the rate of each run is drawn between ``rate`` and this; None if it is the same in all.
    """

    name: str
    duration_s: float
    rate: float
    mix: Mapping[str, float]
    rate_to: float | None = None

    @property
    def fastest(self) -> float:
        return self.rate if self.rate_to is None else self.rate_to


class Variable(Struct, frozen=True):
    """Values that requests choose from at random: whole numbers in a range, or texts.

    Attributes:
        first, last: of the range; both are in it.
        texts: empty for a range.
    """

    first: int = 0
    last: int = 0
    texts: tuple[str, ...] = ()


class Load(Struct, frozen=True):
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

    def draw(self, seed: str) -> tuple[Load, Mapping[str, float]]:
        """Return the load of one run.

        Args:
            seed: of the run; the same seed draws the same rates.

        Returns:
            The load with one rate in place of each range, and the drawn rates by the names of the phases.
        """
        source = Random(seed)
        phases, rates = [], {}
        for phase in self.phases:
            if phase.rate_to is not None:
                rate = float(f"{source.uniform(phase.rate, phase.rate_to):.3g}")
                rates[phase.name] = rate
                phase = structs.replace(phase, rate=rate, rate_to=None)
            phases.append(phase)
        return structs.replace(self, phases=tuple(phases)), rates


NUMBER = "n"
"""The variable that no two requests of a run share: their numbers from 1 on."""

_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_-]*)\}")


def variables_in(text: str) -> set[str]:
    return set(_VARIABLE.findall(text))


class Template:
    """A text with variables."""

    def __init__(self, text: str) -> None:
        # Odd places are the names.
        self._parts = _VARIABLE.split(text)
        self.names = frozenset(self._parts[1::2])

    def fill(self, values: Mapping[str, str]) -> str:
        if len(self._parts) == 1:
            return self._parts[0]
        parts = self._parts.copy()
        for place in range(1, len(parts), 2):
            parts[place] = values[parts[place]]
        return "".join(parts)


class Values:
    """The values of all variables, request by request; the same for the same seed.

    Args:
        kept: values of the log-in, the same for all requests.
    """

    def __init__(self, variables: Mapping[str, Variable], kept: Mapping[str, str], seed: int) -> None:
        self._variables = variables
        self._kept = kept
        self._random = Random(seed)

    def of(self, number: int) -> dict[str, str]:
        """Return the values for the request of this number."""
        values = {NUMBER: str(number), **self._kept}
        for name, variable in self._variables.items():
            if variable.texts:
                values[name] = self._random.choice(variable.texts)
            else:
                values[name] = str(self._random.randint(variable.first, variable.last))
        return values


USUAL_RATE = 25
"""Requests a second of a load that does not say how many."""

USUAL_DURATION = "8s"
"""Of a load that does not say how long it lasts: ten runs of a service that starts in ten seconds then take
less than four minutes."""

MAX_REQUESTS = 1_000_000
MAX_RATE = 5000.0
"""At higher rates a load generator in Python falls behind its schedule."""

Expand = Callable[[str], str]


def load_from(data: Mapping[str, Any], expand: Expand) -> Load:
    """Build a load.

    Args:
        data: ``workload: load`` of a configuration.
        expand: replaces variables of the environment in a text.

    Raises:
        UsageError: a URL, a time or the name of a variable is wrong, or the load is too large.
    """
    login = data.get("login")
    keep = {} if login is None else dict(login.get("keep", {}))
    variables = {
        name: _variable(name, variable, expand) for name, variable in data.get("variables", {}).items()
    }
    twice = sorted({NUMBER, *keep} & {*variables}) or sorted({NUMBER} & {*keep})
    if twice:
        raise UsageError(f"workload: load: the variable {twice[0]!r} is given twice")
    text = _Texts(expand, {NUMBER, *keep, *variables})
    kinds = tuple(_kind(name, request, text) for name, request in data["requests"].items())
    weights = {name: float(request.get("weight", 1)) for name, request in data["requests"].items()}
    load = Load(
        url=_url(data["url"], expand),
        kinds=kinds,
        phases=tuple(_phase(phase, weights, expand) for phase in _phases(data)),
        arrivals=Arrivals(data.get("arrivals", Arrivals.POISSON.value)),
        seed=data.get("seed", 0),
        interval_s=parse_seconds(str(data.get("interval", 1.0))),
        timeout_s=parse_seconds(str(data.get("timeout", 10.0))),
        login=None if login is None else Login(_kind("login", login, _Texts(expand, set())), keep),
        variables=variables,
        may_fail=float(data.get("may-fail", 0.0)),
    )
    _check_size(load)
    return load


class _Texts:
    """Replaces variables of the environment and leaves those of the load."""

    def __init__(self, expand: Expand, own: set[str]) -> None:
        self._expand = expand
        self._own = own

    def __call__(self, text: str) -> str:
        for name in variables_in(text) & self._own:
            text = text.replace(f"${{{name}}}", f"$${{{name}}}")
        return self._expand(text)


def _kind(name: str, data: Mapping[str, Any], text: _Texts) -> RequestKind:
    path = text(data["path"])
    if not path.startswith("/"):
        raise UsageError(f"workload: load: the path of {name} must begin with '/', got {path!r}")
    return RequestKind(
        name=name,
        path=path,
        method=data.get("method", "GET" if "body" not in data else "POST"),
        headers={key: text(value) for key, value in data.get("headers", {}).items()},
        body=text(data["body"]) if "body" in data else None,
        status=data.get("status"),
    )


def _variable(name: str, data: Mapping[str, Any], expand: Expand) -> Variable:
    if "one-of" in data:
        return Variable(texts=tuple(expand(str(value)) for value in data["one-of"]))
    if data["from"] > data["to"]:
        raise UsageError(
            f"workload: load: the variable {name} must not end before it begins, "
            f"got {data['from']} to {data['to']}"
        )
    return Variable(first=data["from"], last=data["to"])


def _phases(data: Mapping[str, Any]) -> Iterable[Mapping[str, Any]]:
    whole = [key for key in ("rate", "duration") if key in data]
    if "phases" in data:
        if whole:
            raise UsageError(f"workload: load: give {whole[0]} in each of the phases, or no phases")
        phases: list[Mapping[str, Any]] = data["phases"]
        return phases
    return [
        {"name": "", "rate": data.get("rate", USUAL_RATE), "duration": data.get("duration", USUAL_DURATION)}
    ]


def _phase(data: Mapping[str, Any], weights: Mapping[str, float], expand: Expand) -> Phase:
    if data["name"] in RESERVED:
        raise UsageError(
            f"workload: load: a phase must not be called {' or '.join(RESERVED)}, got {data['name']!r}"
        )
    mix = {name: float(weight) for name, weight in data.get("mix", weights).items()}
    unknown = sorted(mix.keys() - weights.keys())
    if unknown:
        raise UsageError(
            f"workload: load: the phase {data['name']} has {unknown[0]!r} in its mix, "
            f"which is none of the requests {', '.join(weights)}"
        )
    if not any(mix.values()):
        raise UsageError(f"workload: load: the phase {data['name']} has no request in its mix")
    low, high = parse_rate(expand(str(data["rate"])))
    return Phase(data["name"], parse_seconds(str(data["duration"])), low, mix, None if low == high else high)


def parse_rate(text: str) -> tuple[float, float]:
    """Parse ``20``, or ``20..60`` for a rate that each run draws anew; return the least and the largest.

    Raises:
        UsageError: it is neither, or not above 0.
    """
    low, dots, high = text.partition("..")
    try:
        least, most = float(low), float(high if dots else low)
    except ValueError:
        least = most = math.nan
    if not 0 < least <= most < math.inf:
        raise UsageError(
            f"workload: rate must be a number of requests a second above 0, or a range of them, got {text!r}",
            advice="rate: 20, or rate: 20..60",
        )
    return least, most


def _url(written: str, expand: Expand) -> str:
    # ${port} is replaced later, when the port is known; it is not a variable of the environment.
    url = expand(written.replace(PORT, f"${PORT}"))
    parts = http_url(url, ("http", "https"))
    if parts is None or parts.query:
        raise UsageError(
            f"workload: load: url must be an HTTP URL without a query, got {url!r}",
            advice=f"url: http://127.0.0.1:{PORT}",
        )
    return url


def _check_size(load: Load) -> None:
    n_requests = sum(phase.fastest * phase.duration_s for phase in load.phases)
    fastest = max(phase.fastest for phase in load.phases)
    if fastest > MAX_RATE or n_requests > MAX_REQUESTS:
        raise UsageError(
            f"workload: load: {n_requests:.0f} requests, at most {fastest:g} per second, are too many: "
            f"the limits are {MAX_RATE:g} per second and {MAX_REQUESTS} in total",
            advice="give a load generator of your own as command",
        )
