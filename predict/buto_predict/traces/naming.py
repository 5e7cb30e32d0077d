"""Names of calls whose spans do not tell what they call."""

from __future__ import annotations

import re
from collections.abc import Sequence

from buto_predict.traces.span import LONGEST, Span

_METHOD = re.compile(r"HTTP|(HTTP )?(CONNECT|DELETE|GET|HEAD|OPTIONS|PATCH|POST|PUT|QUERY|TRACE)")


def named(span: Span, called: Sequence[Span]) -> Span:
    """Return the span of a client with the name of its callee, if its own name is only an HTTP method.

    Agents name all HTTP calls of a service so. As one component they would call for each endpoint what they
    call for all of them together.

    Args:
        called: the calls that it made. Without one in another service, its name stays.
    """
    callees = [one.component for one in called if one.emitter != span.emitter]
    if not callees or not _METHOD.fullmatch(span.component.removeprefix(f"{span.emitter}/")):
        return span
    # Tests are matched by the last words of a component. With the bracket, the callee's stay its own.
    name = f"{span.component} [{min(callees)}"[: LONGEST - 1].rstrip()
    return span._replace(component=f"{name}]")
