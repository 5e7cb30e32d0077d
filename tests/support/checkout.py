"""The checkout in which the tests run, and its own compiler of Java sources."""

from __future__ import annotations

import importlib.util
import subprocess
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parents[2]
COMPILE_S = 120.0


@cache
def java_build() -> ModuleType:
    """Return ``java-probes/build.py`` as a module; its folder is not a package."""
    spec = importlib.util.spec_from_file_location("buto_java_build", ROOT / "java-probes" / "build.py")
    assert spec is not None
    assert spec.loader is not None
    build = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(build)
    return build


def compile_java(out: Path, sources: Iterable[Path], *options: str) -> Path:
    """Compile sources for Java 8 into ``out``, and return it as their class path."""
    usual = ("--release", "8", "-Xlint:-options", *options, "-d", out)
    subprocess.run([java_build().find_javac(), *usual, *sorted(sources)], check=True, timeout=COMPILE_S)
    return out
