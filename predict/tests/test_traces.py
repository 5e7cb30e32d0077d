"""Call graphs and self times from traces, whole ones and others."""

import gzip
import json
import tracemalloc
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from buto.errors import BadFileError, JudgeError
from buto_predict.traces.files import is_traces, operation, read_kieker, read_otlp, read_traces
from buto_predict.traces.summary import summarize
from buto_predict.traces.tree import SpanKind
from predict.tests.support.traces import otlp, request, span, write_kieker, write_otlp

pytestmark = pytest.mark.slow


def self_ms(summary):
    return {name: round(1000 * moments.mean, 6) for name, moments in summary.self_s.items()}


def test_self_time_is_what_no_child_takes():
    found = summarize(request("t", 0.0))
    assert self_ms(found) == {"web/GET": 4, "web/order": 2, "web/price": 1, "db/select": 2}
    assert found.calls_of("web/order") == {"web/price": 2, "db/select": 1}
    assert found.calls_of("web/GET") == {"web/order": 1}
    assert found.responses["web/GET"].mean == pytest.approx(0.01)
    assert (found.cut, found.skewed) == (0, 0)


@given(st.permutations(range(5)))
def test_the_order_of_spans_does_not_matter(order):
    spans = request("t", 0.0)
    assert self_ms(summarize([spans[position] for position in order])) == self_ms(summarize(spans))


def test_rates_are_those_of_the_requests():
    spans = [recorded_span for number in range(101) for recorded_span in request(f"t{number}", number / 20)]
    found = summarize(spans)
    assert found.rate("web/GET") == pytest.approx(20.0)


def test_a_trace_that_is_cut_is_left_out_and_counted():
    whole, cut = request("a", 0.0), request("b", 1.0)
    del cut[3]
    found = summarize([*whole, *cut])
    assert (found.requests, found.cut) == (1, 1)
    assert self_ms(found) == self_ms(summarize(whole))


@pytest.mark.parametrize("end", ["0", None])
def test_a_trace_with_a_span_that_has_not_ended_is_left_out_and_counted(tmp_path, end):
    broken = otlp(request("b", 1e6))
    last = broken["resourceSpans"][0]["scopeSpans"][0]["spans"][-1]
    del last["endTimeUnixNano"]
    last |= {} if end is None else {"endTimeUnixNano": end}
    path = tmp_path / "traces.json"
    path.write_text(f"{json.dumps(broken)}\n{json.dumps(otlp(request('a', 1e6)))}\n")
    found = summarize(read_otlp(path))
    assert (found.requests, found.cut) == (1, 1)
    assert found.responses["web/GET"].mean == pytest.approx(0.01, rel=1e-4)


def test_a_span_that_was_written_twice_counts_once_and_two_spans_of_one_id_cut_the_trace():
    whole, twice, mixed = request("a", 0.0), request("b", 1.0), request("c", 2.0)
    mixed[1] = mixed[1]._replace(span=mixed[0].span)
    found = summarize([*whole, *twice, *twice, *mixed])
    assert (found.requests, found.cut) == (2, 1)
    assert found.calls_of("web/order") == {"web/price": 2, "db/select": 1}


def test_traces_without_spans_are_refused(tmp_path):
    path = tmp_path / "traces.json"
    path.write_text("{}")
    with pytest.raises(JudgeError, match="the traces have no spans"):
        summarize(read_otlp(path))


def test_names_become_such_as_a_model_can_have(tmp_path):
    statement = "select *\n  from item where id in (" + 200 * "?, "
    (found,) = read_otlp(write_otlp(tmp_path / "t.json", [[span(statement, 0, 1, id="1")]]))
    assert found.component.startswith("web/select * from item where id in (?, ?, ")
    assert len(found.component) in (499, 500)
    assert found.component == found.component.strip()


def test_calls_in_a_circle_are_left_out_and_counted():
    circle = [span("a", 0, 1, id="1", parent="2", trace="c"), span("b", 0, 1, id="2", parent="1", trace="c")]
    beside = [*request("d", 0.0), span("x", 0, 1, id="8", parent="9", trace="d")]
    beside.append(span("y", 0, 1, id="9", parent="8", trace="d"))
    found = summarize([*request("a", 0.0), *circle, *beside])
    assert (found.requests, found.cut) == (1, 2)


def test_nothing_but_cut_traces_says_so():
    with pytest.raises(JudgeError, match="none of 1 traces is complete"):
        summarize(request("t", 0.0)[:3])


def test_another_clock_is_set_right():
    """The database's clock is an hour ahead, and its call is moved into its caller's time."""
    spans = [
        recorded_span._replace(start_s=recorded_span.start_s + 3600, end_s=recorded_span.end_s + 3600)
        if recorded_span.service == "db"
        else recorded_span
        for recorded_span in request("t", 0.0)
    ]
    found = summarize(spans)
    assert found.skewed == 1
    assert self_ms(found)["db/select"] == 2
    assert self_ms(found)["web/GET"] == 4
    assert sum(self_ms(found)[name] for name in ("web/order",)) == pytest.approx(2, abs=2)


def test_a_call_that_outlasts_its_caller_takes_no_more_than_it_had():
    found = summarize([span("a", 0, 1, id="1"), span("b", 0.5, 3, id="2", parent="1")])
    assert self_ms(found) == {"web/a": 500, "web/b": 2500}


def test_calls_at_the_same_time_are_parallel_and_counted_once():
    spans = [
        span("a", 0, 10, id="1"),
        span("b", 1, 6, id="2", parent="1"),
        span("c", 2, 7, id="3", parent="1"),
    ]
    found = summarize([*spans, span("d", 7, 9, id="4", parent="1")])
    assert self_ms(found)["web/a"] == 2000
    parallel = {callee: edge.parallel for (_, callee), edge in found.edges.items()}
    assert parallel == {"web/b": 1, "web/c": 1, "web/d": 0}


def test_recursion_is_one_call():
    spans = [
        span("f", 0, 10, id="1"),
        span("f", 1, 9, id="2", parent="1"),
        span("g", 2, 4, id="3", parent="2"),
    ]
    found = summarize(spans)
    assert self_ms(found) == {"web/f": 8000, "web/g": 2000}
    assert found.calls_of("web/f") == {"web/g": 1}


def test_names_with_numbers_are_refused_before_they_fill_the_memory():
    spans = (span(f"GET /orders/{number}", 0, 1, id="1", trace=str(number)) for number in range(20_000))
    with pytest.raises(JudgeError, match="more than 10000 components; are there numbers in the names"):
        summarize(spans)


def test_late_spans_of_a_finished_trace_are_cut():
    late, early = request("a", 0.0)[:3], request("a", 0.0)[3:]
    others = [recorded_span for number in range(4) for recorded_span in request(f"o{number}", 0.0)]
    found = summarize([*early, *others, *late], open_spans=10)
    assert (found.requests, found.cut) == (5, 1)


@pytest.mark.all
def test_ten_times_the_spans_need_no_more_memory():
    def spans(requests):
        for number in range(requests):
            yield from request(str(number), float(number))

    def peak(requests):
        tracemalloc.start()
        assert summarize(spans(requests), open_spans=1000).requests == requests
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return most

    assert peak(10_000) < 1.2 * peak(1000)


def test_opentelemetry_is_read_line_by_line_and_as_a_whole(tmp_path):
    batches = [request("a", 0.0), request("b", 1.0)]
    lines = write_otlp(tmp_path / "lines.json", batches)
    whole = tmp_path / "whole.json"
    whole.write_text(json.dumps(otlp([*batches[0], *batches[1]]), indent=2))
    assert is_traces(lines)
    for path in (lines, whole):
        found = summarize(read_traces([path]))
        assert self_ms(found) == self_ms(summarize([*batches[0], *batches[1]]))


def test_files_may_share_a_trace(tmp_path):
    spans = request("t", 0.0)
    paths = [write_otlp(tmp_path / f"{k}.json", [part]) for k, part in enumerate((spans[:2], spans[2:]))]
    assert summarize(read_traces(paths)).requests == 1


def test_functions_and_databases_are_named_by_their_attributes(tmp_path):
    document = otlp(request("t", 0.0)[3:])
    method, root = document["resourceSpans"][0]["scopeSpans"][0]["spans"]
    method["attributes"] = [{"key": "code.function.name", "value": {"stringValue": "com.acme.Order.place"}}]
    root["kind"], root["attributes"] = 3, [{"key": "db.system", "value": {"stringValue": "postgresql"}}]
    path = tmp_path / "t.json"
    path.write_text(json.dumps(document))
    found = list(read_otlp(path))
    assert [recorded_span.component for recorded_span in found] == ["web/com.acme.Order.place", "web/GET"]
    assert [recorded_span.service for recorded_span in found] == ["web", "postgresql"]
    assert found[1].kind is SpanKind.CLIENT


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"resourceSpans": [', "t.json: line 1 is not complete; is it still being written"),
        ('{"resourceSpans": [{"scopeSpans": []}]}', "behind a resource with a service.name"),
        ('{"resourceSpans": 5}', "expected \\["),
        ('{"a" 5}', "expected :"),
        ("{5: 6}", "a key must be a text, got 5"),
        ("nothing", "line 1 is not OTLP JSON: expected {, got n"),
        ('{}\n{}\n\n{"a": [1, }', "line 4 is not OTLP JSON: expecting value"),
        ('{"resourceSpans": 5}\n', "line 1 is not OTLP JSON: expected \\[, got 5"),
        ('{"a": ' + 2000 * "[", "nested too deeply"),
    ],
)
def test_damaged_opentelemetry_is_a_bad_file(tmp_path, text, reason):
    path = tmp_path / "t.json"
    path.write_text(text)
    with pytest.raises(BadFileError, match=reason):
        list(read_otlp(path))


@given(st.integers(0, 300), st.integers(1, 60))
def test_a_file_cut_anywhere_is_a_bad_file(cut, lines):
    with TemporaryDirectory() as place:
        path = write_otlp(Path(place) / "t.json", [request(str(k), 0.0) for k in range(lines)])
        text = path.read_text()
        path.write_text(text[: len(text) - 2 - cut])
        with pytest.raises(BadFileError, match=f"t.json: line {lines} is not complete; is it still"):
            list(read_otlp(path))


def without(key):
    document = otlp(request("t", 0.0))
    del document["resourceSpans"][0]["scopeSpans"][0]["spans"][0][key]
    return document


def having(key, value):
    document = otlp(request("t", 0.0))
    document["resourceSpans"][0]["scopeSpans"][0]["spans"][0][key] = value
    return document


@pytest.mark.parametrize(
    ("document", "reason"),
    [
        (without("traceId"), "line 2 is not OTLP JSON: 'traceId' is missing"),
        ({"resourceSpans": [{"resource": 5}]}, "line 2 is not OTLP JSON: a value is not of the kind"),
        (having("traceId", []), "line 2 is not OTLP JSON: a value is not of the kind"),
        (having("spanId", {}), "line 2 is not OTLP JSON: a value is not of the kind"),
        (having("startTimeUnixNano", 10**400), "line 2 is not OTLP JSON: a value is not of the kind"),
        (having("endTimeUnixNano", float("inf")), "line 2 is not OTLP JSON: a value is not of the kind"),
    ],
)
def test_what_otlp_does_not_have_is_named_by_its_line(tmp_path, document, reason):
    path = write_otlp(tmp_path / "t.json", [request("t", 0.0)])
    path.write_text(f"{path.read_text()}{json.dumps(document)}\n")
    with pytest.raises(BadFileError, match=reason):
        list(read_otlp(path))


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (gzip.compress(b"{}", mtime=0), "is compressed; decompress it first"),
        (b"\x28\xb5\x2f\xfd rest", "is compressed; decompress it first"),
        (b'[{"jmhVersion": "1.37", "benchmark": "a.B.c"}]', "has JMH results, not traces"),
        (b"\n<testsuite/>", "has XML, not traces"),
        (b"[]", "line 1 is not OTLP JSON: expected {, got \\["),
        (b'{"a": "\xff"}', "is not OTLP JSON: it is not UTF-8"),
    ],
)
def test_files_that_are_no_traces_are_named_for_what_they_are(tmp_path, content, reason):
    path = tmp_path / "t.json"
    path.write_bytes(content)
    with pytest.raises(BadFileError, match=reason):
        list(read_traces([path]))


def execution(order, depth, begin_ms, end_ms, name, trace=1):
    times = f"{round(begin_ms * 1e6)};{round(end_ms * 1e6)}"
    return f"$1;1;public static void com.acme.{name}(int);no-session;{trace};{times};web;{order};{depth}"


KIEKER = [
    execution(1, 1, 2, 8, "Order.place"),
    execution(2, 2, 3, 4, "Price.total"),
    execution(3, 2, 5, 6, "Price.total"),
    execution(0, 0, 0, 10, "Shop.get"),
]


def test_kieker_is_read(tmp_path):
    found = summarize(read_traces([write_kieker(tmp_path / "k", KIEKER)]))
    assert self_ms(found) == {
        "web/com.acme.Shop.get": 4,
        "web/com.acme.Order.place": 4,
        "web/com.acme.Price.total": 1,
    }
    assert found.calls_of("web/com.acme.Order.place") == {"web/com.acme.Price.total": 2}


def test_kieker_executions_that_were_written_twice_count_once(tmp_path):
    places = [write_kieker(tmp_path / name, KIEKER) for name in ("a", "b")]
    found = summarize(read_traces(places))
    assert (found.requests, found.cut) == (1, 0)


def test_a_service_cannot_have_the_name_of_the_network():
    with pytest.raises(JudgeError, match="a service must not be called 'network'"):
        summarize([span("GET", 0, 1, id="1", service="network")])


def test_half_of_a_pair_of_surrogates_is_no_name(tmp_path):
    (found,) = read_otlp(write_otlp(tmp_path / "t.json", [[span("a\ud800b", 0, 1, id="1")]]))
    assert found.component == "web/a?b"


def test_a_cut_kieker_trace_is_left_out(tmp_path):
    other = [line.replace(";1;", ";2;", 2).replace("$1;2;", "$1;1;") for line in KIEKER]
    found = summarize(read_kieker(write_kieker(tmp_path / "k", [*KIEKER, other[0], other[2], other[3]])))
    assert (found.requests, found.cut) == (1, 1)


def test_damaged_kieker_logs_are_named_by_file_and_line(tmp_path):
    place = write_kieker(tmp_path / "k", [KIEKER[0], "$1;1;broken"])
    with pytest.raises(BadFileError, match=r"kieker-1.dat:3: .* damaged: 3 fields of 10"):
        list(read_kieker(place))
    late = write_kieker(tmp_path / "late", [KIEKER[0].replace(KIEKER[0].split(";")[5], "9" * 400, 1)])
    with pytest.raises(BadFileError, match=r"kieker-1.dat:2: .* damaged"):
        list(read_kieker(late))
    (place / "kieker.map").write_text("$1=something.Else\n")
    with pytest.raises(BadFileError, match="names no OperationExecutionRecord"):
        list(read_kieker(place))


def test_signatures_lose_all_but_the_method():
    assert (
        operation("private static final java.util.List a.b.C$D.run(int, java.lang.String)") == "a.b.C$D.run"
    )
