"""The text of a first configuration: what was proposed and what a launch showed, with comments."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from buto.project.endpoints import Endpoint
from buto.project.layout import Proposal, Proposed


@dataclass(frozen=True, slots=True)
class Answered:
    """A GET of an endpoint.

    Attributes:
        status: of HTTP; 0 without an answer.
        values: for its variables, with which it was asked.
        last: of a number that counts from 1, the last that was answered well, too.
    """

    endpoint: Endpoint
    status: int
    values: Mapping[str, str]
    last: int = 1

    @property
    def is_good(self) -> bool:
        return 200 <= self.status < 400


@dataclass(frozen=True, slots=True)
class Looked:
    """What a first launch of a server showed.

    Attributes:
        port: at which it answers; 0 if it does not listen.
        ready: the path that tells that it is ready; empty if none does.
        ready_s: from the program's start until then.
        answered: what its endpoints answered.
        others: endpoints that were not asked, because they may change data.
    """

    port: int = 0
    ready: str = ""
    ready_s: float = 0.0
    answered: tuple[Answered, ...] = ()
    others: tuple[Endpoint, ...] = ()

    @property
    def good(self) -> list[Answered]:
        return [one for one in self.answered if one.is_good]


def configuration(proposal: Proposal, looks: Mapping[str, Looked]) -> str:
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
        lines += _test(test, looks.get(test.name))
    return "\n".join(lines) + "\n"


def _test(test: Proposed, look: Looked | None) -> Iterator[str]:
    yield f"  {test.name}:" + (f" &{test.name}" if look else "")
    if test.about:
        yield f"    # {test.about}"
    yield f"    command: {_flow(test.command)}"
    if test.server is None or look is None:
        return
    if test.server.environment:
        yield f"    environment: {json.dumps(dict(test.server.environment))}"
    yield "    # Judged is what comes after the start and a quarter of the load, which warms the server up."
    yield "    workload:"
    yield f"      port: {look.port or 8080}"
    yield "      # The load begins when this is answered with a good status."
    yield f'      ready: {{http: "http://127.0.0.1:${{port}}{look.ready or "/"}", within: 2min}}'
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


def _requests(look: Looked) -> Iterator[str]:
    variables: dict[str, str] = {}
    requests: dict[str, str] = {}
    for one in look.good:
        places = {}
        for name in one.endpoint.variables:
            value = one.values[name]
            written = f"{{from: 1, to: {one.last}}}" if value == "1" else f"{{one-of: [{value}]}}"
            own = name if variables.get(name, written) == written else f"{name}-{len(variables)}"
            variables[own] = written
            places[name] = f"${{{own}}}"
        name = one.endpoint.name
        name = name if name not in requests else f"{name}-{len(requests)}"
        requests[name] = json.dumps(one.endpoint.filled(places))
    if variables:
        yield "        variables:          # values that exist; each request takes one at random"
        yield from (f"          {name}: {written}" for name, written in variables.items())
    yield "        requests:           # answered well at the first launch; weight: 5 sends one more often"
    if not requests:
        yield "          # FILL IN: no endpoint was found that answers. Name some, as"
        yield '          #   search: {path: "/search?q=shoes", weight: 5}'
        yield f'          alive: {{path: "{look.ready or "/"}"}}'
    yield from (f"          {name}: {{path: {path}}}" for name, path in requests.items())
    for one in look.answered:
        if not one.is_good:
            path = one.endpoint.filled(one.values)
            yield f"          # {one.endpoint.name}: {{path: {json.dumps(path)}}}   # answered {one.status}"
    for endpoint in look.others:
        path = endpoint.filled({name: f"${{{name}}}" for name in endpoint.variables})
        yield (
            f"          # {endpoint.method.lower()}-{endpoint.name}: {{method: {endpoint.method}, "
            f"path: {json.dumps(path)}, headers: {{Content-Type: application/json}}, body: '{{}}'}}"
        )


_PLAIN = re.compile(r"[\w./=+-]+", re.ASCII)
"""A word that a list of YAML needs no quotes for; a comma or a colon would change its meaning."""


def _flow(words: Sequence[str]) -> str:
    return f"[{', '.join(word if _PLAIN.fullmatch(word) else json.dumps(word) for word in words)}]"
