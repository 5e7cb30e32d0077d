"""A source of another package works from ``buto.yaml`` on, with nothing of buto touched."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from buto.errors import ConfigError
from buto.measure.sources import chosen
from buto.measure.sources.protocol import SourceError
from buto.project.config import load
from tests.support.checkout import ROOT
from tests.support.processes.command import called
from tests.support.sources.surroundings import NoProgram

PAGE = (ROOT / "docs" / "measuring" / "sources.md").read_text()
LISTING = PAGE.split("```python\n")[1].split("```")[0]
ENTRY = PAGE.split("```toml\n")[1].split("```")[0].splitlines()[1].replace('"', "")
CONFIGURATION = """\
version: 1
tests:
  shop:
    command: [java, Shop]
    sources:
      uploads: {kind: files, directory: there}
"""


GROUP = "buto.sources"
Install = Callable[[str, str, str], Path]


def configured(tmp_path: Path, text: str = CONFIGURATION) -> Path:
    path = tmp_path / "buto.yaml"
    path.write_text(text)
    return path


def test_the_listing_of_the_page_is_configured_and_read(install: Install, tmp_path: Path) -> None:
    install(LISTING, GROUP, ENTRY)
    [spec] = load(configured(tmp_path)).tests["shop"].target.sources
    assert (spec.name, spec.kind, spec.settings) == ("uploads", "files", {"directory": "there"})
    directory = tmp_path / "there"
    with chosen.source("files")({"directory": str(directory)}).open(NoProgram(), 1.0, 1.0) as reader:
        with pytest.raises(SourceError, match="cannot be read: No such file"):
            reader.read()
        directory.mkdir()
        (directory / "a").write_text("four")
        assert reader.read() == {"count": 1, "size": 4}
        assert reader.property("size").unit == "By"


def test_its_keys_are_validated_and_in_the_schema(install: Install, tmp_path: Path) -> None:
    install(LISTING, GROUP, ENTRY)
    with pytest.raises(ConfigError, match=r"unknown key 'directry' in tests.shop.sources.uploads"):
        load(configured(tmp_path, CONFIGURATION.replace("directory:", "directry:")))
    done = called(tmp_path, "schema", "config")
    assert "directory" in json.loads(done.stdout)["definitions"]["source-files"]["properties"]


def test_a_package_that_cannot_be_imported_fails_only_the_tests_that_use_it(
    install: Install, tmp_path: Path
) -> None:
    install("import nothing_of_that_name", GROUP, ENTRY)
    load(configured(tmp_path, CONFIGURATION.split("    sources")[0]))
    with pytest.raises(
        ConfigError, match=r"buto.yaml:6:16: the source uploads: .*'buto_files' cannot be used"
    ):
        load(configured(tmp_path))


def test_what_lacks_a_part_of_a_source_is_refused(install: Install) -> None:
    install(LISTING.replace("    settle_s = 0.0\n", ""), GROUP, ENTRY)
    with pytest.raises(chosen.BrokenSourceError, match="has no settle_s"):
        chosen.source("files")
