"""A compiler, and launches through a collector."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.checkout import java_build
from tests.support.jvm.recorder import Recorder


@pytest.fixture(scope="session")
def javac() -> Path:
    return java_build().find_javac()  # type: ignore[no-any-return]


@pytest.fixture
def record(monkeypatch: pytest.MonkeyPatch, classes: Path) -> Recorder:
    return Recorder(monkeypatch, classes)
