"""What the texts and mappings of a test mean: variables, labels, hosts and sources."""

from __future__ import annotations

import copy
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from buto.engine.placement import HostLabels
from buto.errors import ButoError, ConfigError, UsageError
from buto.measure.host import environment
from buto.measure.target import PROCESS, SourceSpec
from buto.project.config import Config, load
from buto.project.document import (
    LABELS_VARIABLE,
    SCHEDULER_VARIABLE,
    escape,
    expand,
    parse_labels,
    portable,
    scheduler_of,
)
from buto.project.model import TestConfig, build_test
from perf.fuzz import examples


def test_names_in_braces_are_replaced_and_other_dollars_stay() -> None:
    assert expand("${A}/x$B/Outer$Inner$", {"A": "1 2"}) == "1 2/x$B/Outer$Inner$"


def test_two_dollars_are_one() -> None:
    assert expand("$${A} costs $$5", {"A": "no"}) == "${A} costs $5"


def test_a_value_is_not_expanded_again() -> None:
    assert expand("${A}", {"A": "${B}", "B": "wrong"}) == "${B}"


def test_an_unknown_variable_is_named_with_the_nearest_known_one() -> None:
    with pytest.raises(UsageError, match=r"\$\{HOEM\}.*did you mean \$\{HOME\}"):
        expand("${HOEM}", {"HOME": "/", "LANG": "C"})


def test_a_brace_that_is_not_closed_is_named() -> None:
    with pytest.raises(UsageError, match="without }"):
        expand("a ${B", {"B": "x"})


@given(st.text(alphabet="ab${}", max_size=12))
def test_escaped_text_expands_to_itself(text: str) -> None:
    assert expand(escape(text), {}) == text


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("/home/ann/.m2/a.jar:/home/ann/.m2/b.jar:target", "${HOME}/.m2/a.jar:${HOME}/.m2/b.jar:target"),
        ("-Dshop=/home/ann/shop,/home/ann/x", "-Dshop=${HOME}/shop,${HOME}/x"),
        ("/home/anna/a.jar", "/home/anna/a.jar"),
        ("/srv/home/ann/a.jar", "/srv/home/ann/a.jar"),
        ("/home/ann", "/home/ann"),
        ("/home/ann/${A}", "${HOME}/$${A}"),
    ],
)
def test_a_portable_text_names_the_home_directory_where_a_path_begins_there(text: str, written: str) -> None:
    assert portable(text, {"HOME": "/home/ann"}) == written


@given(st.text(alphabet="/h:=,${}", max_size=12), st.sampled_from(["/h", "/", "", "/h/$", "h"]))
def test_portable_text_expands_to_itself(text: str, home: str) -> None:
    assert expand(portable(text, {"HOME": home}), {"HOME": home}) == text


LABELLED = """\
version: 1
defaults: {labels: {name: laptop, disk: slow}}
tests:
  a: {command: x, labels: {name: "${WHERE}", database: 17}}
  b: {command: x}
"""


def labelled(tmp_path: Path, text: str = LABELLED, **variables: str) -> Config:
    path = tmp_path / "buto.yaml"
    path.write_text(text)
    return load(path, {"WHERE": "ci", **variables})


@pytest.mark.parametrize(
    ("written", "meant"),
    [("20", "20MiB"), ("268435456", "256MiB"), ("20KiB", "512MiB"), ("0", "512MiB")],
)
def test_a_limit_without_a_unit_or_below_a_megabyte_is_refused(
    tmp_path: Path, written: str, meant: str
) -> None:
    path = tmp_path / "buto.yaml"
    path.write_text(f"version: 1\ntests:\n  shop:\n    command: [java, Main]\n    limit: {written}\n")
    with pytest.raises(ConfigError) as refused:
        load(path)
    assert "4:" in str(refused.value) or "5:" in str(refused.value)
    assert f"limit: {meant}" in f"{refused.value} {refused.value.advice}"


def test_a_limit_is_a_size_with_a_unit(tmp_path: Path) -> None:
    path = tmp_path / "buto.yaml"
    path.write_text("version: 1\ntests:\n  shop:\n    command: [java, Main]\n    limit: 1MiB\n")
    assert load(path).tests["shop"].limit_bytes == 2**20


def test_labels_are_a_name_and_pairs() -> None:
    assert parse_labels("ci, database=17,quota = half") == {"name": "ci", "database": "17", "quota": "half"}
    assert parse_labels("") == {}


@pytest.mark.parametrize("text", ["a,b", "database=", "=17", "x=1,x=2", "ci;database=17"])
def test_what_is_no_label_is_told(text: str) -> None:
    with pytest.raises(UsageError, match="an environment must be NAME or KEY=VALUE with commas between them"):
        parse_labels(text)


def test_a_test_adds_to_the_defaults_and_the_variable_overrides_both(tmp_path: Path) -> None:
    tests = labelled(tmp_path).tests
    assert tests["a"].target.labels == {"name": "ci", "disk": "slow", "database": "17"}
    assert tests["b"].target.labels == {"name": "laptop", "disk": "slow"}
    tests = labelled(tmp_path, **{LABELS_VARIABLE: "farm,disk=fast"}).tests
    assert tests["a"].target.labels == {"name": "farm", "disk": "fast", "database": "17"}


def test_a_variable_that_is_no_environment_is_told(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="an environment must be"):
        labelled(tmp_path, **{LABELS_VARIABLE: "a,b"})


def test_labels_are_metadata_of_the_run() -> None:
    assert environment({"name": "ci", "database": "17"}) == {
        "environment.name": "ci",
        "environment.label.database": "17",
    }


ADDRESS, OTHER = "tcp://10.0.0.1:8786", "tcp://10.0.0.2:8786"


def test_a_test_asks_for_hosts_and_remembers_it_in_its_oracle(tmp_path: Path) -> None:
    path = tmp_path / "buto.yaml"
    path.write_text(
        f"version: 1\nscheduler: {ADDRESS}\ndefaults: {{hosts: {{cpu: 'EPYC*', tag: fast}}}}\n"
        "tests:\n  a: {command: x}\n  b: {command: x, hosts: {name: bench-*, tag: [fast, x86]}}\n"
    )
    read = load(path, {})
    assert read.scheduler == ADDRESS
    assert read.tests["a"].hosts == HostLabels(cpu="EPYC*", tags=("fast",))
    assert read.tests["b"].hosts == HostLabels("bench-*", "", ("fast", "x86"))
    assert read.tests["b"].written["hosts"] == {"name": "bench-*", "tag": ["fast", "x86"]}


@pytest.mark.parametrize("hosts", ["{}", "{core: 4}", "{tag: 7}", "{cpu: ''}", "fast"])
def test_what_asks_for_no_host_is_refused_with_its_place(tmp_path: Path, hosts: str) -> None:
    path = tmp_path / "buto.yaml"
    path.write_text(f"version: 1\ntests:\n  a:\n    command: x\n    hosts: {hosts}\n")
    with pytest.raises(ConfigError, match=r"buto\.yaml:5:"):
        load(path, {})


@pytest.mark.parametrize(
    ("given", "variable", "configured", "expected"),
    [
        (None, "", "", ""),
        (None, "", ADDRESS, ADDRESS),
        (None, OTHER, ADDRESS, OTHER),
        ("local", OTHER, ADDRESS, "local"),
        ("none", OTHER, ADDRESS, ""),
        (None, "none", ADDRESS, ""),
    ],
)
def test_the_call_comes_before_the_variable_and_that_before_the_configuration(
    given: str | None, variable: str, configured: str, expected: str
) -> None:
    assert scheduler_of(given, configured, {SCHEDULER_VARIABLE: variable}) == expected


HEAD = "version: 1\ntests:\n  a:\n    command: [java, Shop]\n    sources:\n"


def with_sources(tmp_path: Path, sources: str) -> TestConfig:
    path = tmp_path / "buto.yaml"
    path.write_text(f"{HEAD}      {sources}\n")
    return load(path, {"TOKEN": "t-1", "HOST": "db"}).tests["a"]


def test_a_source_has_the_keys_of_its_kind_with_variables_replaced(tmp_path: Path) -> None:
    url = '"http://${HOST}:${port}/m"'
    headers = '{Authorization: "Bearer ${TOKEN}"}'
    test = with_sources(
        tmp_path, f"shop: {{kind: prometheus, url: {url}, headers: {headers}, interval: 2s, timeout: 500ms}}"
    )
    settings = {"url": "http://db:${port}/m", "headers": {"Authorization": "Bearer t-1"}}
    assert test.target.sources == (SourceSpec("shop", "prometheus", settings, 2.0, 0.5),)
    remembered = build_test("a", test.written, None, {"TOKEN": "t-2", "HOST": "db"})
    assert remembered.target.sources[0].settings["headers"] == {"Authorization": "Bearer t-2"}


def test_the_name_may_be_the_kind_and_the_interval_is_at_least_that_of_the_test(tmp_path: Path) -> None:
    test = with_sources(tmp_path, "prometheus: {url: http://a/}\n    interval: 5s")
    assert test.target.sources == (SourceSpec("prometheus", "prometheus", {"url": "http://a/"}, 5.0, 1.0),)
    assert with_sources(tmp_path, "tree: {kind: process}").target.sources[0].interval_s == 1.0


@pytest.mark.parametrize(
    ("sources", "expected"),
    [
        ("tree: {}", "6:7: 'kind' is missing in tests.a.sources.tree"),
        (
            "tree: {kind: procss}",
            (
                '6:20: tests.a.sources.tree.kind: found "procss", '
                "expected host or jvm or process or prometheus or sql"
            ),
        ),
        ("sql: {url: a}", "6:7: 'queries' is missing in tests.a.sources.sql"),
        ("host: {url: a}", "6:14: unknown key 'url' in tests.a.sources.host"),
        ("process: {}", "6:7: 'process' in tests.a.sources is not a source's name: small letters"),
        ("tree: {kind: process, url: a}", "6:29: unknown key 'url' in tests.a.sources.tree; known are kind"),
        ("prometheus: {}", "6:7: 'url' is missing in tests.a.sources.prometheus"),
        ("prometheus: {url: 5}", "6:25: tests.a.sources.prometheus.url: found 5, expected a URL"),
        (
            "prometheus: {url: 'http://a:65536/'}",
            "6:19: the source prometheus: url must be an HTTP URL, got 'http://a:65536/'",
        ),
        ("prometheus: {url: ftp://a}", "6:19: the source prometheus: url must be an HTTP URL, got 'ftp://a'"),
        ("prometheus: {url: 'http://${GONE}/'}", "6:25: unknown variable ${GONE}"),
        ("Tree: {kind: process}", "6:7: 'Tree' in tests.a.sources is not a source's name"),
    ],
)
def test_each_fault_is_told_with_line_and_column(tmp_path: Path, sources: str, expected: str) -> None:
    with pytest.raises(ConfigError) as error:
        with_sources(tmp_path, sources)
    [first, *_] = error.value.message.replace(f"{tmp_path}{os.sep}buto.yaml:", "").splitlines()
    assert first.startswith(expected)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("collector", "jmx"),
        ("jvm", "*Main"),
        ("mbeans", [{"name": "com.acme:*"}]),
        ("growth", "never"),
        ("explain", "auto"),
        ("live-set", "end"),
    ],
)
def test_a_process_has_no_key_of_a_jvm(key: str, value: object) -> None:
    written = {"command": ["./native"], "measure": "process", key: value}
    with pytest.raises(UsageError, match=key) as raised:
        build_test("native", written, None, {})
    assert raised.value.at == (key,)  # type: ignore[attr-defined]


def test_a_process_is_measured_without_a_live_set() -> None:
    test = build_test("native", {"command": ["./native"], "measure": "process"}, None, {})
    assert (test.target.collector, test.target.live_set) == (PROCESS, None)


def places(value: Any, at: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """The place of each value within a document, the document's own first."""
    yield at
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in inside:
        yield from places(each, (*at, key))


def put(document: Any, at: tuple[str | int, ...], value: Any) -> Any:
    """A copy of a document with another value at a place."""
    if not at:
        return value
    changed = copy.copy(document)
    changed[at[0]] = put(document[at[0]], at[1:], value)
    return changed


@pytest.mark.parametrize("value", [{"a": 1}, [[1]], -1.5, None], ids=repr)
def test_a_value_of_any_kind_at_any_key_is_taken_or_refused(tmp_path: Path, value: Any) -> None:
    """A reader that asks of a value what only some kinds can answer would end with a traceback."""
    path, refused = tmp_path / "buto.yaml", 0
    for at in places(examples.CONFIG):
        path.write_text(json.dumps(put(examples.CONFIG, at, value)))
        try:
            load(path, {"HOME": "/home/somebody"})
        except ButoError:
            refused += 1
    assert refused > 10
