"""Recorded calls (spans), and those of one request as a tree."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple

from buto.errors import JudgeError

LONGEST = 500
"""Letters of a component's name; the names of some spans are whole SQL statements."""


_METHOD = re.compile(r"HTTP|(HTTP )?(CONNECT|DELETE|GET|HEAD|OPTIONS|PATCH|POST|PUT|QUERY|TRACE)")

_PARALLEL = 0.5
"""Two calls are parallel if they overlap for at least this share of the shorter one."""

NETWORK = "network"
"""The station of clients whose server has a span of its own below them."""


class SpanKind(Enum):
    """The side of a connection that a span is on."""

    LOCAL = "local"
    CLIENT = "client"
    """It waits for another service, whose own span may be below it."""


class Span(NamedTuple):
    """A call from its beginning to its end.

    Attributes:
        span: its own id, unique in the trace.
        parent: id of its caller; empty for the request itself.
        emitter: the service that recorded it.
        service: where it ran; for a client, what it waited for, empty if only a span below it shows that.
        start_s, end_s: on the clock of the emitter.
        depth: depth in the stack, for formats that order calls and do not name the caller; else None.
        cpu_s: processor time of its thread between start and end; None if that was not recorded.
    """

    trace: str
    span: str
    parent: str
    component: str
    emitter: str
    service: str
    kind: SpanKind
    start_s: float
    end_s: float
    depth: int | None = None
    cpu_s: float | None = None


def named(span: Span, called: Sequence[Span]) -> Span:
    """Return the span of a client with the name of its callee, if its own name is only an HTTP method.

    Agents name all HTTP calls of a service so. As one component they would call for each endpoint what they
    call for all of them together.

    Args:
        called: the calls that it made. Without one in another service, its name stays.
    """
    callees = [recorded_span.component for recorded_span in called if recorded_span.emitter != span.emitter]
    if not callees or not _METHOD.fullmatch(span.component.removeprefix(f"{span.emitter}/")):
        return span
    # Tests are matched by the last words of a component. With the bracket, the callee's stay its own.
    name = f"{span.component} [{min(callees)}"[: LONGEST - 1].rstrip()
    return span._replace(component=f"{name}]")


@dataclass(slots=True)
class Node:
    """A call and the calls that it made.

    Attributes:
        shift_s: added to its times, so that it is within its caller.
        self_s: its time without its children's; processor time if that was recorded, else wall-clock time.
        timed: whether it is processor time.
        parallel: whether it overlaps with a call of the same caller.
    """

    span: Span
    children: list[Node] = field(default_factory=list)
    shift_s: float = 0.0
    self_s: float = 0.0
    timed: bool = False
    parallel: bool = False

    @property
    def start_s(self) -> float:
        """Corrected for the clock."""
        return self.span.start_s + self.shift_s

    @property
    def end_s(self) -> float:
        """Corrected for the clock."""
        return self.span.end_s + self.shift_s


@dataclass(frozen=True, slots=True)
class Tree:
    """A complete request.

    Attributes:
        nodes: callers before what they call; the first is the request.
        skewed: calls whose clock had to be corrected.
        late: calls that began after their caller had ended, such as those of messages.
    """

    nodes: Sequence[Node]
    skewed: int
    late: int


def trees_of(spans: Sequence[Span]) -> list[Tree] | None:
    """Return the requests of one trace; None if it is cut or cyclic.

    A trace is cut if a call has no end, has the id of another or names a caller that is missing, and cyclic
    if calls call each other; neither shows how often one component calls another, and for how long. Spans
    that were written twice count once.
    """
    # Exporters write 0 for the end of a call that has not ended.
    if any(span.end_s < span.start_s for span in spans):
        return None
    known = dict.fromkeys(_with_parents(list(dict.fromkeys(spans))))
    nodes = {span.span: Node(span) for span in known}
    if len(nodes) < len(known):
        return None
    roots: list[Node] = []
    for node in nodes.values():
        if not node.span.parent:
            roots.append(node)
        elif node.span.parent in nodes:
            nodes[node.span.parent].children.append(node)
        else:
            return None
    trees = [_tree(root) for root in roots]
    # Calls in a cycle have callers, but are not below any request.
    return trees if trees and sum(len(tree.nodes) for tree in trees) == len(nodes) else None


def _with_parents(spans: Sequence[Span]) -> Sequence[Span]:
    """Give callers to spans that have a depth; a missing caller stays missing."""
    if spans[0].depth is None:
        return spans
    stack: list[str] = []
    linked = []
    for position, span in enumerate(sorted(spans, key=lambda recorded_span: int(recorded_span.span))):
        depth = span.depth or 0
        if int(span.span) != position or depth > len(stack):
            return [span._replace(parent="missing")]
        del stack[depth:]
        linked.append(span._replace(parent=stack[-1] if stack else ""))
        stack.append(span.span)
    return linked


def _tree(root: Node) -> Tree:
    order, skewed, late = [root], 0, 0
    for node in order:
        for child in node.children:
            child.shift_s = node.shift_s if child.span.emitter == node.span.emitter else 0.0
            if child.start_s < node.start_s or child.end_s > node.end_s:
                skewed += _within(child, node)
                late += child.start_s > node.end_s
            order.append(child)
        _measure(node)
    # Callees first: a client may be named by another client that it calls.
    for node in reversed(order):
        if node.span.kind is SpanKind.CLIENT:
            node.span = named(node.span, [child.span for child in node.children])
    return Tree(order, skewed, late)


def _within(child: Node, caller: Node) -> bool:
    """Move a call of another clock into the middle of its caller; leave one that outlasts its caller."""
    spare_s = (caller.end_s - caller.start_s) - (child.end_s - child.start_s)
    if spare_s < 0 or child.span.emitter == caller.span.emitter:
        return False
    child.shift_s += caller.start_s + spare_s / 2 - child.start_s
    return True


def _measure(node: Node) -> None:
    """Compute the self time, in which no child runs, and which children run at the same time."""
    covered_s, until_s = 0.0, node.start_s
    previous: Node | None = None
    for child in sorted(node.children, key=lambda span: span.start_s):
        if previous is not None:
            overlap_s = min(previous.end_s, child.end_s) - child.start_s
            shorter_s = min(previous.end_s - previous.start_s, child.end_s - child.start_s)
            if overlap_s > _PARALLEL * shorter_s:
                previous.parallel = child.parallel = True
        end_s = min(child.end_s, node.end_s)
        covered_s += max(0.0, end_s - max(child.start_s, until_s))
        until_s = max(until_s, end_s)
        if previous is None or child.end_s > previous.end_s:
            previous = child
    own_s = _processor_s(node)
    node.timed = own_s is not None
    node.self_s = max(0.0, node.end_s - node.start_s - covered_s) if own_s is None else own_s


def _processor_s(node: Node) -> float | None:
    """Return the processor time of a call without that of the calls in its thread; None if it is not known.

    Calls that outlast it are of other threads. Clients wait; what they use of the processor belongs to no
    component.
    """
    if node.span.kind is SpanKind.CLIENT or node.span.cpu_s is None:
        return None
    inner_s = sum(
        child.span.cpu_s or 0.0
        for child in node.children
        if not child.parallel
        and child.end_s <= node.end_s
        and (child.span.kind is SpanKind.CLIENT or child.span.service == node.span.service)
    )
    return max(0.0, node.span.cpu_s - inner_s)


def station_of(node: Node) -> str:
    """Return whose servers a call uses: its service; for a client, the service that it waited for, or only
    the network.

    Raises:
        JudgeError: a service has the name of the network.
    """
    if node.span.service == NETWORK:
        raise JudgeError(
            f"a service must not be called {NETWORK!r}, which is the station of calls on their way",
            advice="give the service another service.name",
        )
    if node.span.kind is SpanKind.LOCAL:
        return node.span.service
    return NETWORK if node.children or not node.span.service else node.span.service
