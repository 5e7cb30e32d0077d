"""``buto sources``: what the sources of tests read now."""

from __future__ import annotations

import os
import re
from pathlib import Path

from tests.support.processes.command import called
from tests.support.sources.raw_server import serving, text

CONFIGURATION = """\
version: 1
tests:
  shop:
    command: [java, Shop]
    sources:
      metrics: {kind: prometheus, url: "URL", include: [http_*]}
      tree: {kind: process}
      host: {}
  plain:
    command: [java, Plain]
"""


def test_numbers_are_printed_with_their_kinds_and_reasons_where_there_are_none(tmp_path: Path) -> None:
    with serving(
        text('# TYPE http_seconds_total counter\nhttp_seconds_total{uri="/a"} 1.5\nother 1\n')
    ) as url:
        (tmp_path / "buto.yaml").write_text(CONFIGURATION.replace("URL", url))
        done = called(tmp_path, "sources", "shop")
    lines = done.stdout.splitlines()
    assert re.fullmatch(r"shop: metrics \(prometheus\): 1 number in .*s", lines[0])
    assert lines[1].split() == ["metrics.http_seconds_total[uri=/a]", "counter", "1.5", "s"]
    assert lines[2] == "shop: tree (process): no such process runs"
    assert any(line.split()[:2] == ["host.memory.available", "gauge"] for line in lines)
    assert done.returncode == 3


def test_a_program_that_runs_may_be_named(tmp_path: Path) -> None:
    configuration = re.sub(r".*(metrics|host):.*\n", "", CONFIGURATION)
    (tmp_path / "buto.yaml").write_text(configuration)
    done = called(tmp_path, "sources", "--pid", str(os.getpid()), exits=0)
    assert re.search(r"^ +tree\.thread\.count +gauge +\d+ threads?$", done.stdout, re.MULTILINE)


def test_a_reason_shows_no_password(tmp_path: Path) -> None:
    source = '{kind: sql, url: "postgres+x://shop:hunter-2@db/shop", queries: {n: SELECT 1}}'
    configuration = CONFIGURATION.replace("{kind: process}", source)
    (tmp_path / "buto.yaml").write_text(re.sub(r".*(metrics|host):.*\n", "", configuration))
    done = called(tmp_path, "sources")
    assert "shop:_MASKED_@db" in done.stdout
    assert "hunter-2" not in done.stdout + done.stderr


def test_without_sources_it_says_how_to_add_some(tmp_path: Path) -> None:
    (tmp_path / "buto.yaml").write_text(CONFIGURATION.replace("URL", "http://127.0.0.1:1/"))
    done = called(tmp_path, "sources", "plain", exits=2)
    assert "no test here has sources" in done.stderr
    assert "add sources to a test in buto.yaml: sources: {host: {}}" in done.stderr
