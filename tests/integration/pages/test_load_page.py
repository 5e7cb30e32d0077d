"""The pages on sources and load: their configurations work, and they name every key and property."""

from __future__ import annotations

from pathlib import Path

import pytest

from buto.measure.sources import chosen, processes
from buto.measure.workload.load import properties
from buto.project.config import Config, load
from buto.project.schema import config_schema
from tests.support.checkout import ROOT

ENVIRONMENT = {"SHOP_PASSWORD": "geheim", "DB_PASSWORD": "geheim"}


def page(name: str) -> str:
    return (ROOT / "docs" / "measuring" / name).read_text()


def configured(tmp_path: Path, name: str) -> Config:
    path = tmp_path / "buto.yaml"
    path.write_text(page(name).split("```yaml\n")[1].split("```")[0])
    return load(path, ENVIRONMENT)


def test_the_load_of_the_page_is_a_load(tmp_path: Path) -> None:
    workload = configured(tmp_path, "load.md").tests["shop"].workload
    assert workload is not None and workload.load is not None
    assert workload.load.duration_s == 210
    assert [kind.name for kind in workload.load.kinds] == ["search", "look", "create"]


def test_the_sources_of_the_page_are_sources(tmp_path: Path) -> None:
    sources = configured(tmp_path, "sources.md").tests["shop"].target.sources
    assert [source.name for source in sources] == ["metrics", "database"]
    database = tmp_path / "database.yaml"
    shown = [block.split("```")[0] for block in page("sources.md").split("```yaml\n")[1:]]
    database.write_text(next(block for block in shown if "queries:" in block and "metrics:" not in block))
    [source] = load(database, ENVIRONMENT).tests["shop"].target.sources
    assert source.settings["queries"].keys() == {"activity", "rows"}


@pytest.mark.parametrize("kind", chosen.SOURCES)
def test_the_page_on_sources_names_every_kind_and_key(kind: str) -> None:
    text = page("sources.md")
    assert f"## `{kind}`" in text
    assert [key for key in chosen.source(kind).keys if f"`{key}`" not in text] == []


def test_the_page_on_load_names_every_key_and_property() -> None:
    text = page("load.md")
    keys = config_schema()["definitions"]["workload"]["properties"]["load"]["properties"]
    assert [key for key in keys if f"`{key}`" not in text] == []
    named = [
        prop.name.replace("p50", "").replace("p95", "").replace("p99", "") for prop in properties(["search"])
    ]
    assert [name for name in named if name not in text.replace("p50", "")] == []


def test_the_page_on_sources_names_the_properties_of_processes_and_the_host() -> None:
    names = [*processes.PROPERTIES, *processes.HOST_PROPERTIES]
    assert [name for name in names if f"`{name}`" not in page("sources.md")] == []
