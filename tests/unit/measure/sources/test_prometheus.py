"""Metrics pages, good and hostile, from real servers in this process."""

from __future__ import annotations

import math
import socket
import sys
import time
import zlib
from collections.abc import Mapping

import pytest

from buto.errors import UsageError
from buto.extensions import DISTRIBUTION
from buto.measure.sources import prometheus as text_module
from buto.measure.sources.chosen import NameChoice
from buto.measure.sources.prometheus import PageText, PrometheusSource
from buto.measure.sources.protocol import SourceError
from buto.measure.sources.sampling import add_sampling
from buto.measure.target import SourceSpec
from buto.run.properties import Kind
from tests.support.sources.raw_server import Answer, page, says, serving, text
from tests.support.sources.surroundings import NoProgram

PAGE = """\
# HELP jvm_threads_live_threads Live threads
# TYPE jvm_threads_live_threads gauge
jvm_threads_live_threads 43.0
# TYPE http_requests_total counter
http_requests_total{uri="/order",method="GET"} 1027
http_requests_total{uri="/pay {now}, \\"soon\\"",method="POST"} 3
# TYPE request_seconds histogram
request_seconds_bucket{le="0.1"} 5
request_seconds_bucket{le="+Inf"} 9
request_seconds_sum 1.5
request_seconds_count 9
# TYPE pause_seconds summary
pause_seconds{quantile="0.5"} 0.25
pause_seconds_sum 8
pause_seconds_count 4
untyped_bytes 12
not_a_number NaN
endless +Inf
"""


def read(url: str, timeout_s: float = 5.0, **settings: object) -> Mapping[str, float]:
    with PrometheusSource({"url": url, **settings}).open(NoProgram(), 1.0, timeout_s) as reader:
        return reader.read()


def refused(*answers: Answer, timeout_s: float = 5.0) -> str:
    with serving(*answers) as url, pytest.raises(SourceError) as caught:
        read(url, timeout_s)
    return caught.value.message.replace(url, "URL")


def test_counters_gauges_sums_and_counts_are_read_with_their_labels() -> None:
    with serving(text(PAGE)) as url:
        values = dict(read(url))
        assert math.isnan(values.pop("not_a_number")) and math.isnan(values.pop("endless"))
        assert values == {
            "jvm_threads_live_threads": 43,
            "http_requests_total[method=GET,uri=/order]": 1027,
            'http_requests_total[method=POST,uri=/pay {now}\\, "soon"]': 3,
            "request_seconds_sum": 1.5,
            "request_seconds_count": 9,
            "pause_seconds[quantile=0.5]": 0.25,
            "pause_seconds_sum": 8,
            "pause_seconds_count": 4,
            "untyped_bytes": 12,
        }


def test_what_is_not_a_number_has_its_name_and_a_reason() -> None:
    with (
        serving(text("x 1\ny NaN\n")) as url,
        PrometheusSource({"url": url}).open(NoProgram(), 1.0, 5.0) as reader,
    ):
        values = reader.read()
        assert values["x"] == 1 and math.isnan(values["y"])
        assert list(reader.reasons()) == ["y"]


def test_two_sets_of_labels_have_two_names() -> None:
    page = 'x{a="1,b=2"} 5\nx{a="1",b="2"} 6\nx{a="1\\\\,b=2"} 7\n'
    values = PageText(NameChoice()).read(page)
    assert sorted(values.values()) == [5, 6, 7]
    assert values["x[a=1,b=2]"] == 6


def test_a_number_that_comes_twice_is_refused() -> None:
    numbers = PageText(NameChoice())
    with pytest.raises(SourceError, match=r"it has the number x\[a=1\] twice"):
        numbers.read('x{a="1"} 5\nx{a="1"} 6\n')
    assert numbers.read('x{a="1"} 5\n') == {"x[a=1]": 5}
    with pytest.raises(SourceError, match="twice"):
        numbers.read('x{a="1"} 5\nx{a="1"} 6\n')


def test_kinds_and_units_are_those_of_the_page() -> None:
    numbers = PageText(NameChoice())
    numbers.read(PAGE)
    found = {name: (numbers.property(name).kind, numbers.property(name).unit) for name in numbers.read(PAGE)}
    assert found["jvm_threads_live_threads"] == (Kind.GAUGE, "1")
    assert found["http_requests_total[method=GET,uri=/order]"] == (Kind.COUNTER, "1")
    assert found["request_seconds_sum"] == (Kind.COUNTER, "s")
    assert found["request_seconds_count"] == (Kind.COUNTER, "1")
    assert found["pause_seconds[quantile=0.5]"] == (Kind.GAUGE, "s")
    assert found["untyped_bytes"] == (Kind.GAUGE, "By")


def test_patterns_choose_by_the_name_with_or_without_labels() -> None:
    with serving(text(PAGE)) as url:
        chosen = read(url, include=["http_*", "*_sum"], exclude=["*[method=POST*", "pause*"])
        assert chosen == {"http_requests_total[method=GET,uri=/order]": 1027, "request_seconds_sum": 1.5}
        with pytest.raises(SourceError, match="no number that include and exclude choose"):
            read(url, include=["nothing"])


def test_later_pages_are_read_without_the_parser_and_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = PageText(NameChoice())
    numbers.read(PAGE)
    monkeypatch.setattr(PageText, "_parse", None)
    later = PAGE.replace("1027", "1.5e3").replace("pause_seconds_sum 8\n", "")
    values = numbers.read(later)
    assert values["http_requests_total[method=GET,uri=/order]"] == 1500
    assert "pause_seconds_sum" not in values and math.isnan(values["endless"])


@pytest.mark.parametrize(
    ("first", "then", "values"),
    [
        ("a 5 1000\n", "a 5 1001\n", {"a": 5}),
        ("a 5\n", "a 6 1000\n", {"a": 6}),
        ("a\t5\n", "a\t6\n", {"a": 6}),
        ("a 5\n", "a 6\nb 7\n", {"a": 6, "b": 7}),
        ('a{x="1 2"} 5\n', 'a{x="1 2"} 6\n', {"a[x=1 2]": 6}),
        ("a  5\n", "a 6\n", {"a": 6}),
    ],
)
def test_a_line_that_differs_in_more_than_its_number_is_parsed_anew(
    first: str, then: str, values: Mapping[str, float]
) -> None:
    numbers = PageText(NameChoice())
    numbers.read(first)
    assert numbers.read(then) == values


def test_names_that_change_with_each_page_do_not_pile_up() -> None:
    numbers = PageText(NameChoice())
    for number in range(50):
        assert numbers.read(f'a{{x="{number}"}} 1\n') == {f"a[x={number}]": 1}
    assert len(numbers._properties) == len(numbers._known) == 1


def drip(connection: socket.socket) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
    while True:
        connection.sendall(b"a")
        time.sleep(0.05)


def drip_headers(connection: socket.socket) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\nX: ")
    while True:
        connection.sendall(b"a")
        time.sleep(0.05)


def silence(connection: socket.socket) -> None:
    connection.recv(1)


@pytest.mark.parametrize("answer", [drip, drip_headers, silence])
def test_a_slow_page_ends_at_the_time_limit(answer: Answer) -> None:
    begun = time.monotonic()
    assert refused(answer, timeout_s=0.3).startswith("URL did not answer within ")
    assert time.monotonic() - begun < 60


def endless(connection: socket.socket) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
    line = b"a_number_of_a_large_page 1\n" * 4000
    while True:
        connection.sendall(line)


@pytest.mark.parametrize(
    "answer", [endless, says(b"HTTP/1.1 200 OK\r\nContent-Length: 10485760\r\n\r\na 1\n")]
)
def test_a_page_of_ten_megabytes_is_not_read_to_its_end(answer: Answer) -> None:
    assert refused(answer) == "URL is larger than 8 MiB"


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (b"", "URL cannot be read: it is not HTTP (RemoteDisconnected"),
        (b"220 mail ready\r\n", "URL cannot be read: it is not HTTP (BadStatusLine: 220 mail ready"),
        (
            b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\na 1\n",
            "URL cannot be read: it is not HTTP (Incompl",
        ),
        (page(b"a 1", status="503 Busy"), "URL answers with HTTP 503, expected 200"),
        (
            page(b"", status="302 Found", headers="Location: http://elsewhere.example/\r\n"),
            "URL redirects to http://elsewhere.example/; give that URL, redirects are not followed",
        ),
        (page(b"\xff\xfe1"), "URL is not text in UTF-8"),
        (
            page(zlib.compress(b"a 1\n"), headers="Content-Encoding: deflate\r\n"),
            "URL is compressed (deflate), which was not asked for",
        ),
        (page(b"<!DOCTYPE html>\n<p>Sign in"), "it is not in Prometheus' text format: '<!DOCTYPE html>'"),
        (page(b"a 1\nb{x} 5\n"), "it is not in Prometheus' text format: 'b{x} 5'"),
        (page(b"a one\n"), "it is not in Prometheus' text format: 'a one'"),
        (page(b""), "the page has no number that include and exclude choose"),
        (page(b"a{" + b'x="1",' * 1000 + b"} 1"), "it has a line of 6005 characters, more than 4096"),
        (
            page(b"".join(b"a%d 1\n" % number for number in range(5001))),
            "it has 5001 numbers, more than 5000; choose some by include",
        ),
    ],
)
def test_a_bad_page_is_refused_with_the_reason(raw: bytes, said: str) -> None:
    assert refused(says(raw)).startswith(said)


def test_a_page_with_too_many_lines_is_refused_before_it_is_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_module, "MAX_SERIES", 10)
    assert refused(text("a 1\n" * 11)) == "it has 11 lines with numbers, more than 10"


def test_nobody_at_the_port_is_said() -> None:
    with pytest.raises(
        SourceError, match=r"http://127.0.0.1:1/metrics cannot be read: nothing listens there"
    ):
        read("http://user:secret@127.0.0.1:1/metrics")


class Listening(NoProgram):
    """A program that listens at the ports of these servers."""

    def __init__(self, *urls: str) -> None:
        self.found = tuple(map(port_of, urls))

    def ports(self) -> tuple[int, ...]:
        return self.found


def port_of(url: str) -> int:
    return int(url.split(":")[2].split("/")[0])


def test_the_port_of_the_program_is_waited_for() -> None:
    program = Listening()
    with (
        serving(text("a 1\n")) as url,
        PrometheusSource({"url": "http://127.0.0.1:${port}/"}).open(program, 1.0, 5) as reader,
    ):
        with pytest.raises(SourceError, match="does not listen at any port yet"):
            reader.read()
        program.found = (port_of(url),)
        assert reader.read() == {"a": 1}


def test_the_first_port_with_a_page_is_read_and_kept() -> None:
    with (
        serving(says(page(b"no metrics", status="404 Not Found"))) as other,
        serving(silence) as silent,
        serving(text("a 1\n"), text("a 2\n")) as url,
        PrometheusSource({"url": "http://127.0.0.1:${port}/"}).open(
            Listening(other, silent, url), 1.0, 6.0
        ) as reader,
    ):
        assert [reader.read(), reader.read()] == [{"a": 1}, {"a": 2}]


def test_if_no_port_has_a_page_each_says_why() -> None:
    with (
        serving(says(page(b"no metrics", status="404 Not Found"))) as other,
        serving(text("not a number\n")) as url,
        PrometheusSource({"url": "http://127.0.0.1:${port}/"}).open(Listening(other, url), 1.0, 5) as reader,
        pytest.raises(SourceError, match="answers with HTTP 404.*; .*not a number"),
    ):
        reader.read()


@pytest.mark.parametrize("url", ["ftp://a/b", "http:///x", "metrics", "http://ü.example/"])
def test_a_url_that_is_none_is_refused_at_once(url: str) -> None:
    with pytest.raises(UsageError, match="url must be an HTTP URL"):
        PrometheusSource({"url": url})


def test_without_the_parser_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "prometheus_client", None)
    with pytest.raises(UsageError) as caught:
        add_sampling(None, [SourceSpec("shop", "prometheus", {"url": "http://a/"})])
    assert caught.value.advice == f"pip install '{DISTRIBUTION}[sources]'"
