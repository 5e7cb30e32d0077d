"""A summary of many traces: counts and moments, whose size depends only on the number of components."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from math import inf, nan, sqrt

from buto.errors import JudgeError
from buto_predict.traces.tree import Node, Span, Tree, station_of, trees_of

OPEN_SPANS = 100_000
"""Most spans of unfinished traces; beyond, those that have not grown for longest count as finished."""

MOST_COMPONENTS = 10_000


@dataclass(slots=True)
class Moments:
    """Number, mean and variation of values that are not kept (Welford)."""

    count: int = 0
    mean: float = 0.0
    _squares: float = 0.0
    _before: float = 0.0
    _since: float = 0.0

    def add(self, value: float) -> None:
        self.count += 1
        before = value - self.mean
        self.mean += before / self.count
        self._squares += before * (value - self.mean)
        if not self.count & (self.count - 1):
            self._before, self._since = self._since, 0.0
        self._since += value

    @property
    def steady(self) -> float:
        """Mean of the last values, in the order in which they were added: of half of them to three quarters.

        These are all since the last power of two but one, so that two sums tell it. NaN without any.
        """
        if not self.count:
            return nan
        first = 1 << max(self.count.bit_length() - 2, 0)
        return (self._before + self._since) / (self.count - first + 1)

    @property
    def cv(self) -> float:
        """Coefficient of variation; NaN for fewer than two values or a mean of 0."""
        if self.count < 2 or self.mean <= 0:
            return nan
        return sqrt(self._squares / (self.count - 1)) / self.mean


@dataclass(slots=True)
class Edge:
    """Calls of one component by another.

    Attributes:
        by_endpoint: how many of them are of requests to an endpoint.
    """

    calls: int = 0
    parallel: int = 0
    by_endpoint: dict[str, int] = field(default_factory=dict)


@dataclass(slots=True)
class Summary:
    """A summary of traces.

    Attributes:
        self_s: self time of each component.
        stations: how often each component used each station.
        timed: components whose self times are processor times.
        edges: by caller and callee.
        responses: by endpoint, which is the component of a request's first span.
        demands: by endpoint and station, of each request.
        first_s, last_s: when the first and the last request began.
        cut: number of traces that were left out because they were cut or cyclic.
        skewed: number of calls whose clock was corrected.
        late: number of calls by endpoint that began after their caller had ended.
    """

    self_s: dict[str, Moments] = field(default_factory=lambda: defaultdict(Moments))
    stations: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    timed: set[str] = field(default_factory=set)
    edges: dict[tuple[str, str], Edge] = field(default_factory=lambda: defaultdict(Edge))
    responses: dict[str, Moments] = field(default_factory=lambda: defaultdict(Moments))
    demands: dict[tuple[str, str], Moments] = field(default_factory=lambda: defaultdict(Moments))
    first_s: float = inf
    last_s: float = -inf
    cut: int = 0
    skewed: int = 0
    late: Counter[str] = field(default_factory=Counter)

    @property
    def requests(self) -> int:
        return sum(response.count for response in self.responses.values())

    @property
    def duration_s(self) -> float:
        return max(self.last_s - self.first_s, 0.0)

    def rate(self, endpoint: str) -> float:
        """Return requests in 1/s; NaN if all came at the same time."""
        count = self.responses[endpoint].count
        return count / self.duration_s * (1 - 1 / self.requests) if self.duration_s > 0 else nan

    @property
    def placed(self) -> dict[str, str]:
        """Station of each component: the one that it used most."""
        return {component: votes.most_common(1)[0][0] for component, votes in self.stations.items()}

    def calls_of(self, component: str) -> dict[str, float]:
        count = self.self_s[component].count
        edges = self.edges.items()
        return {callee: edge.calls / count for (caller, callee), edge in edges if caller == component}


def summarize(spans: Iterable[Span], *, open_spans: int = OPEN_SPANS) -> Summary:
    """Summarize spans in any order, in memory that does not grow with their number.

    Args:
        open_spans: how many spans of unfinished traces may be kept. The spans of a trace may be this far
            apart.

    Raises:
        JudgeError: there are no spans, no complete trace, or more components than a model can have.
    """
    summary = Summary()
    traces: dict[str, list[Span]] = {}
    kept = 0
    for span in spans:
        # The trace that grew last is finished last.
        trace = traces.pop(span.trace, [])
        trace.append(span)
        traces[span.trace] = trace
        kept += 1
        while kept > open_spans:
            oldest = traces.pop(next(iter(traces)))
            kept -= len(oldest)
            _add_trace(summary, oldest)
    for trace in traces.values():
        _add_trace(summary, trace)
    if not summary.requests and not summary.cut:
        raise JudgeError(
            "the traces have no spans", advice="give files that were written while the system had requests"
        )
    if not summary.requests:
        raise JudgeError(
            f"none of {summary.cut} traces is complete: each lacks a caller or an end, or calls in a circle",
            advice="record without sampling by service, and give all files of the same time",
        )
    return summary


def _add_trace(summary: Summary, spans: list[Span]) -> None:
    trees = trees_of(spans)
    if trees is None:
        summary.cut += 1
        return
    for tree in trees:
        _add_tree(summary, tree)


def _add_tree(summary: Summary, tree: Tree) -> None:
    root = tree.nodes[0]
    endpoint = root.span.component
    demands: dict[str, float] = defaultdict(float)
    own: dict[int, float] = {}
    merged: dict[int, Node] = {}
    for node in tree.nodes:
        # A component that calls itself counts as called once: its test, too, measures all rounds.
        outer = merged.get(id(node), node)
        own[id(outer)] = own.get(id(outer), 0.0) + node.self_s
        demands[station_of(node)] += node.self_s
        for child in node.children:
            if child.span.component == node.span.component:
                merged[id(child)] = outer
                continue
            edge = summary.edges[node.span.component, child.span.component]
            edge.calls += 1
            edge.parallel += child.parallel
            edge.by_endpoint[endpoint] = edge.by_endpoint.get(endpoint, 0) + 1
    for node in tree.nodes:
        if node.timed:
            summary.timed.add(node.span.component)
        if id(node) not in merged:
            summary.self_s[node.span.component].add(own[id(node)])
            summary.stations[node.span.component][station_of(node)] += 1
    if len(summary.self_s) > MOST_COMPONENTS:
        raise JudgeError(
            f"the traces have more than {MOST_COMPONENTS} components; are there numbers in the names of "
            f"spans, as in {root.span.component!r}?",
            advice="name spans by their route, as GET /orders/{id}",
        )
    summary.responses[endpoint].add(root.end_s - root.start_s)
    for station, demand_s in demands.items():
        summary.demands[endpoint, station].add(demand_s)
    summary.first_s = min(summary.first_s, root.span.start_s)
    summary.last_s = max(summary.last_s, root.span.start_s)
    summary.skewed += tree.skewed
    if tree.late:
        summary.late[endpoint] += tree.late
