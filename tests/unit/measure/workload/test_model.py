"""From a configuration to a workload, and what is refused on the way."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from buto.errors import ConfigError
from buto.measure.workload.model import HttpLoad, Operation, Workload
from buto.project.config import load
from buto.project.model import TestConfig


def configured(tmp_path: Path, workload: str) -> TestConfig:
    path = tmp_path / "buto.yaml"
    text = dedent("""\
        version: 1
        tests:
          shop:
            command: [java, -jar, shop.jar]
            workload: WORKLOAD
    """)
    path.write_text(text.replace("WORKLOAD", workload))
    return load(path, {"HOST": "localhost", "USERS": "5 6"}).tests["shop"]


def test_all_parts_are_read_with_times_in_order_and_variables_replaced(tmp_path: Path) -> None:
    test = configured(
        tmp_path,
        "{port: any, after: 200ms, command: ['./load.sh', '${USERS}'], operations: "
        "[{at: 2s, mbean: 'a:type=B', operation: late}, "
        "{at: 500ms, mbean: 'a:type=B', operation: early, arguments: [1, x, true]}], "
        "http: {url: 'http://${HOST}:${port}/x', rate: 20, duration: 3s}, stop: true}",
    )
    assert test.workload == Workload(
        after_s=0.2,
        port=0,
        command=("./load.sh", "5 6"),
        operations=(Operation(0.5, "a:type=B", "early", (1, "x", True)), Operation(2.0, "a:type=B", "late")),
        http=HttpLoad("http://localhost:${port}/x", 20.0, 3.0),
        stop=True,
    )
    assert test.written["workload"]["command"] == ["./load.sh", "${USERS}"]


def test_a_program_that_is_stopped_exits_well_with_143(tmp_path: Path) -> None:
    assert configured(tmp_path, "{command: [x], stop: true}").target.expected_exit == 143
    assert configured(tmp_path, "{command: [x], stop: true}\n    expect-exit: 0").target.expected_exit == 0
    assert configured(tmp_path, "{command: [x]}").target.expected_exit == 0


@pytest.mark.parametrize(
    ("workload", "fault"),
    [
        ("{stop: true}", "workload must have a command, operations, http or load, got none"),
        ("{command: [x], until: 3s}", "unknown key 'until'"),
        ("{command: [x], port: 0}", "a TCP port, or any"),
        ("{operations: [{at: 1s, mbean: 'a:*', operation: x}]}", "a JMX object name"),
        ("{operations: [{at: 1s, operation: x}]}", "'mbean' is missing"),
        ("{http: {url: 'https://host/', rate: 1, duration: 1s}}", "url must be an HTTP URL"),
        ("{http: {url: 'http://host:0/', rate: 1, duration: 1s}}", "url must be an HTTP URL"),
        ("{http: {url: 'http://host/größe', rate: 1, duration: 1s}}", "url must be an HTTP URL"),
        ("{http: {url: 'http://host/', rate: 1e6, duration: 1s}}", "are too many"),
        ("{command: ['${NO_SUCH}']}", "unknown variable ${NO_SUCH}"),
        *(
            (
                workload,
                f"workload: {key}: http://a:${{port}}/ needs the program's port, and the workload waits",
            )
            for key, workload in {
                "http": "{http: {url: 'http://a:${port}/', rate: 1, duration: 1s}}",
                "load": "{load: {url: 'http://a:${port}/', requests: {a: {path: /}}, rate: 1, duration: 1s}}",
                "ready: http": "{command: [x], ready: {http: 'http://a:${port}/'}}",
            }.items()
        ),
    ],
)
def test_what_means_nothing_is_refused_with_its_place(tmp_path: Path, workload: str, fault: str) -> None:
    with pytest.raises(ConfigError) as refused:
        configured(tmp_path, workload)
    assert fault in refused.value.message
    assert "buto.yaml:5:" in refused.value.message


LOAD = "load: {url: 'http://a/', requests: {x: {path: /}}"


@pytest.mark.parametrize(
    ("workload", "window"),
    [
        ("{ready: {http: 'http://a/'}, " + LOAD + "}}", "load.start + 2s to end"),
        ("{ready: {http: 'http://a/'}, " + LOAD + ", duration: 10min}}", "load.start + 10s to end"),
        ("{ready: {http: 'http://a/'}, http: {url: 'http://a/', duration: 2s}}", "load.start + 0.5s to end"),
        ("{ready: {http: 'http://a/'}, command: [x]}", "load.start to end"),
        ("{" + LOAD + "}}", "None"),
        ("{port: any, command: [x]}", "None"),
        ("{ready: {http: 'http://a/'}, command: [x]}\n    window: {from: 3s}", "main + 3s to end"),
        ("{ready: {http: 'http://a/'}, command: [x]}\n    window: {from: main}", "main to end"),
    ],
)
def test_where_there_is_a_readiness_check_start_and_warm_up_are_not_judged_unless_a_window_says_so(
    tmp_path: Path, workload: str, window: str
) -> None:
    assert str(configured(tmp_path, workload).window) == window
