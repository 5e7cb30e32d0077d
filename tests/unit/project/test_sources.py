"""``sources`` of a configuration: what they say, and where they are wrong."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from buto.errors import ConfigError
from buto.measure.target import SourceSpec
from buto.project.config import load
from buto.project.model import TestConfig, build_test

HEAD = "version: 1\ntests:\n  a:\n    command: [java, Shop]\n    sources:\n"


def read(tmp_path: Path, sources: str) -> TestConfig:
    path = tmp_path / "buto.yaml"
    path.write_text(f"{HEAD}      {sources}\n")
    return load(path, {"TOKEN": "t-1", "HOST": "db"}).tests["a"]


def test_a_source_has_the_keys_of_its_kind_with_variables_replaced(tmp_path: Path) -> None:
    url = '"http://${HOST}:${port}/m"'
    headers = '{Authorization: "Bearer ${TOKEN}"}'
    test = read(
        tmp_path, f"shop: {{kind: prometheus, url: {url}, headers: {headers}, interval: 2s, timeout: 500ms}}"
    )
    settings = {"url": "http://db:${port}/m", "headers": {"Authorization": "Bearer t-1"}}
    assert test.target.sources == (SourceSpec("shop", "prometheus", settings, 2.0, 0.5),)
    remembered = build_test("a", test.written, None, {"TOKEN": "t-2", "HOST": "db"})
    assert remembered.target.sources[0].settings["headers"] == {"Authorization": "Bearer t-2"}


def test_the_name_may_be_the_kind_and_the_interval_is_at_least_that_of_the_test(tmp_path: Path) -> None:
    test = read(tmp_path, "prometheus: {url: http://a/}\n    interval: 5s")
    assert test.target.sources == (SourceSpec("prometheus", "prometheus", {"url": "http://a/"}, 5.0, 1.0),)
    assert read(tmp_path, "tree: {kind: process}").target.sources[0].interval_s == 1.0


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
        read(tmp_path, sources)
    [first, *_] = error.value.message.replace(f"{tmp_path}{os.sep}buto.yaml:", "").splitlines()
    assert first.startswith(expected)
