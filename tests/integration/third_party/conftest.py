"""Packages of other people, laid out as pip installs them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from buto.extensions import entry_points_of

Install = Callable[[str, str, str], Path]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Install a package ``buto_NAME`` with an entry point of a group, and return its folder."""
    site = tmp_path / "site"
    site.mkdir()
    monkeypatch.syspath_prepend(str(site))
    before = set(sys.modules)

    def install(listing: str, group: str, entry: str) -> Path:
        name = entry.partition("= ")[2].partition(":")[0]
        (site / name).mkdir(parents=True)
        (site / name / "__init__.py").write_text(listing)
        information = site / f"{name}-1.0.dist-info"
        information.mkdir()
        (information / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        (information / "entry_points.txt").write_text(f"[{group}]\n{entry}\n")
        entry_points_of.cache_clear()
        return site / name

    yield install
    entry_points_of.cache_clear()
    for name in set(sys.modules) - before:
        if name.startswith("buto_"):
            del sys.modules[name]
