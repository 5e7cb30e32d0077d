"""The text of a first configuration: what was proposed and what a launch showed, with comments."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from buto.project.endpoints import HttpEndpoint
from buto.project.layout import Proposal, Proposed


class Answered(Struct, frozen=True):
    """A GET of an endpoint.

    Attributes:
        status: of HTTP; 0 without an answer.
        values: for its variables, with which it was asked.
        last: of a number that counts from 1, the last that was answered well, too.
    """

    endpoint: HttpEndpoint
    status: int
    values: Mapping[str, str]
    last: int = 1

    @property
    def is_good(self) -> bool:
        return 200 <= self.status < 400


class FirstLaunch(Struct, frozen=True):
    """What a first launch of a server showed.

    Attributes:
        port: at which it answers; 0 if it does not listen.
        ready: the path that tells that it is ready; empty if none does.
        status: with which it answers at first there.
        ready_s: from the program's start until then.
        answered: what its endpoints answered.
        others: endpoints that were not asked, because they may change data.
    """

    port: int = 0
    ready: str = ""
    status: int = 200
    ready_s: float = 0.0
    answered: tuple[Answered, ...] = ()
    others: tuple[HttpEndpoint, ...] = ()

    @property
    def answers(self) -> bool:
        """Whether it speaks HTTP, as far as that is known."""
        return self.status > 0

    @property
    def good(self) -> list[Answered]:
        return [answer for answer in self.answered if answer.is_good]

    @property
    def first(self) -> str:
        """The path that answered well if no endpoint is known that did; empty if none answers."""
        return "" if self.good or not self.port or not 200 <= self.status < 400 else self.ready or "/"


def configuration(proposal: Proposal, looks: Mapping[str, FirstLaunch]) -> str:
    """Return the text of ``buto.yaml``.

    Args:
        looks: of each test whose program serves.
    """
    lines = [
        f"# Written by 'buto init' for {proposal.kind}; change what you like.",
        "version: 1",
        "",
        "defaults:",
        "  runs: 10                # runs that train an oracle",
        "  timeout: 3min           # a run that takes longer is stopped",
        "  # judge: {fail-on: worse}   # lets changes for the better pass",
    ]
    if proposal.inputs:
        lines += [
            f"  inputs: {_flow(proposal.inputs)}   # with --changed-since, only a change of these is checked",
        ]
    lines += ["", "tests:"]
    for test in proposal.tests:
        lines += _test(test, looks.get(test.name), proposal.measure)
    return "\n".join(lines) + "\n"


def _test(test: Proposed, look: FirstLaunch | None, measure: str) -> Iterator[str]:
    yield f"  {test.name}:" + (f" &{test.name}" if look else "")
    if test.about:
        yield f"    # {test.about}"
    yield f"    command: {_flow(test.command)}"
    if measure:
        yield f"    measure: {measure}      # it starts no JVM: what the kernel counts of it is recorded"
    if look is not None and look.answers and (test.server or look.port):
        yield from _interval(look.ready_s)
    if test.server is None and test.may_serve and (look is None or not look.port):
        yield from _placeholders()
    if look is None or not (test.server or look.port):
        return
    if test.server is not None and test.server.environment:
        yield f"    environment: {json.dumps(dict(test.server.environment))}"
    yield "    # Judged is what comes after the start and a quarter of the load, which warms the server up."
    yield "    workload:"
    if test.server is None:
        yield "      # LOOK AT port, ready and requests: they are what the first launch opened and answered."
    yield f"      port: {look.port or 8080}"
    if not look.answers:
        yield "      # FILL IN what uses it: it listens at this port, and does not answer HTTP."
        yield "      command: [FILL-IN]"
        yield "      stop: true            # then the program is asked to end"
        return
    yield "      # The load begins when this is answered with a good status."
    ready = f"http://127.0.0.1:${{port}}{look.ready or '/'}"
    yield f'      ready: {{http: "{ready}"{_unusual(look)}, within: 2min}}'
    yield "      load:"
    yield "        url: http://127.0.0.1:${port}"
    yield "        rate: 25            # requests a second"
    yield "        duration: 8s"
    yield from _requests(look)
    yield "      stop: true            # then the program is asked to end"
    yield ""
    yield f"  {test.name}-start:          # how it starts: another window of the same launches"
    yield f"    <<: *{test.name}"
    yield "    window: {to: load.start}"


def _unusual(look: FirstLaunch) -> str:
    """Return the status that tells readiness as a key, where it is no good one."""
    return "" if 200 <= look.status < 400 else f", status: {look.status}"


_SAMPLES_OF_A_START = 20
"""Samples that show how a start goes; a few more or less change no number of it by much."""

_USUAL_INTERVAL_MS = 100
_INTERVALS_MS = (50, 20, 10)
"""Shorter ones than usual, the longest first. Below, sampling itself uses more than a short start does."""


def _interval(ready_s: float) -> Iterator[str]:
    """Give the interval at which the start has enough samples; nothing if the usual one is short enough."""
    ready_ms = ready_s * 1000
    if not ready_ms or ready_ms >= _SAMPLES_OF_A_START * _USUAL_INTERVAL_MS:
        return
    enough = (interval_ms for interval_ms in _INTERVALS_MS if ready_ms >= _SAMPLES_OF_A_START * interval_ms)
    interval = next(enough, _INTERVALS_MS[-1])
    samples = (
        f"its start of {ready_s:.2g} s has {round(ready_ms / interval)} samples, not {round(ready_ms / 100)}"
    )
    yield f"    interval: {interval}ms          # {samples}; both tests are of the same launches"


def _placeholders() -> Iterator[str]:
    yield "    # If it serves, FILL IN and remove the comment signs; else let it end by itself."
    yield "    # workload:"
    yield "    #   port: 8080"
    yield '    #   ready: {http: "http://127.0.0.1:${port}/", within: 2min}'
    yield "    #   load:"
    yield "    #     url: http://127.0.0.1:${port}"
    yield "    #     rate: 25            # requests a second"
    yield "    #     duration: 8s"
    yield "    #     requests:"
    yield '    #       alive: {path: "/"}'
    yield "    #   stop: true            # then the program is asked to end"


def _requests(look: FirstLaunch) -> Iterator[str]:
    variables: dict[str, str] = {}
    requests: dict[str, str] = {}
    for answer in look.good:
        places = {}
        for name in answer.endpoint.variables:
            value = answer.values[name]
            written = f"{{from: 1, to: {answer.last}}}" if value == "1" else f"{{one-of: [{value}]}}"
            own = name if variables.get(name, written) == written else f"{name}-{len(variables)}"
            variables[own] = written
            places[name] = f"${{{own}}}"
        name = answer.endpoint.name
        name = name if name not in requests else f"{name}-{len(requests)}"
        requests[name] = json.dumps(answer.endpoint.fill(places))
    if variables:
        yield "        variables:          # values that exist; each request takes one at random"
        yield from (f"          {name}: {written}" for name, written in variables.items())
    known = "answered well at the first launch; weight: 5 sends one more often"
    yield f"        requests:           # {known}" if requests or look.first else "        requests:"
    if not requests:
        only = (
            f"only {look.first} is known to answer well" if look.first else "nothing is known to answer well"
        )
        yield f"          # FILL IN what its users ask for: {only}. As"
        yield '          #   search: {path: "/search?q=shoes", weight: 5}'
        if _unusual(look):
            yield "          # LOOK AT status: the first launch gave it there, so it counts as good."
        yield f'          alive: {{path: "{look.ready or "/"}"{_unusual(look)}}}'
    yield from (f"          {name}: {{path: {path}}}" for name, path in requests.items())
    for answer in look.answered:
        if not answer.is_good:
            path = answer.endpoint.fill(answer.values)
            request = f"{answer.endpoint.name}: {{path: {json.dumps(path)}}}"
            yield f"          # {request}   # answered {answer.status}"
    for endpoint in look.others:
        path = endpoint.fill({name: f"${{{name}}}" for name in endpoint.variables})
        yield (
            f"          # {endpoint.method.lower()}-{endpoint.name}: {{method: {endpoint.method}, "
            f"path: {json.dumps(path)}, headers: {{Content-Type: application/json}}, body: '{{}}'}}"
        )


_PLAIN = re.compile(r"[\w./=+-]+", re.ASCII)
"""A word that a list of YAML needs no quotes for; a comma or a colon would change its meaning."""


def _flow(words: Sequence[str]) -> str:
    return f"[{', '.join(word if _PLAIN.fullmatch(word) else json.dumps(word) for word in words)}]"
