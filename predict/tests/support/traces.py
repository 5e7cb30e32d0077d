"""Traces as tools write them, of spans in a few words."""

import json

from buto_predict.traces.tree import Span, SpanKind


def span(name, start_s, end_s, *, id, parent="", trace="t", service="web", kind=SpanKind.LOCAL):
    """A span whose component is ``service/name``."""
    return Span(trace, id, parent, f"{service}/{name}", service, service, kind, start_s, end_s)


def request(trace, start_s, scale=1.0):
    """GET calls order, which calls price twice and a database once: 10 ms in all, 4, 2, 1, 1 and 2 ms of
    self.
    """

    def at(name, begin, end, id, parent="", service="web"):
        times = start_s + scale * begin / 1000, start_s + scale * end / 1000
        return span(name, *times, id=id, parent=parent, trace=trace, service=service)

    return [
        at("price", 3, 4, "3", "2"),
        at("price", 5, 6, "4", "2"),
        at("select", 6, 8, "5", "2", "db"),
        at("order", 2, 8, "2", "1"),
        at("GET", 0, 10, "1"),
    ]


def otlp(spans):
    """One export request."""
    by_service = {}
    for recorded_span in spans:
        service, _, name = recorded_span.component.partition("/")
        known = {} if recorded_span.cpu_s is None else {"attributes": [_cpu_time(recorded_span.cpu_s)]}
        by_service.setdefault(service, []).append(
            known
            | {
                "traceId": recorded_span.trace,
                "spanId": recorded_span.span,
                "parentSpanId": recorded_span.parent,
                "name": name,
                "kind": 3 if recorded_span.kind is SpanKind.CLIENT else 1,
                "startTimeUnixNano": str(round(recorded_span.start_s * 1e9)),
                "endTimeUnixNano": str(round(recorded_span.end_s * 1e9)),
            }
        )
    return {
        "resourceSpans": [
            {
                "resource": {"attributes": [{"key": "service.name", "value": {"stringValue": service}}]},
                "scopeSpans": [{"scope": {"name": "test"}, "spans": own}],
            }
            for service, own in by_service.items()
        ]
    }


def _cpu_time(cpu_s):
    return {"key": "thread.cpu.time", "value": {"intValue": str(round(cpu_s * 1e9))}}


def write_otlp(path, batches):
    """A file of the collector, a line for each batch."""
    path.write_text("".join(f"{json.dumps(otlp(batch))}\n" for batch in batches))
    return path


def write_kieker(directory, lines):
    """A directory of Kieker's file writer."""
    directory.mkdir()
    names = "$0=kieker.common.record.misc.KiekerMetadataRecord\n"
    (directory / "kieker.map").write_text(
        names + "$1=kieker.common.record.controlflow.OperationExecutionRecord\n"
    )
    (directory / "kieker-1.dat").write_text(
        "$0;1;1.15;KIEKER;host;1;false;0;NANOSECONDS;1\n" + "\n".join(lines)
    )
    return directory
