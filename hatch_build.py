"""Compiles the Java parts into ``buto/jars/`` whenever a wheel is built, editable ones included.

Wheel and source archive of a tagged commit get a ``buto/version.py`` with the tag's version.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class JarBuildHook(BuildHookInterface[Any]):
    """Runs ``java-probes/build.py`` before hatchling collects the files of a wheel."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        root = Path(self.root)
        if version != "editable":
            self._stamp(root, build_data)
        if self.target_name != "wheel":
            return
        build = _module(root / "java-probes" / "build.py")
        try:
            build.build_all(root, root / "buto" / "jars")
        except build.BuildError as failure:
            self.app.abort(f"buto could not be built.\n{failure}")

    def _stamp(self, root: Path, build_data: dict[str, Any]) -> None:
        """Add the version, which pyproject.toml leaves out: a file may not be added twice."""
        source = root / "buto" / "version.py"
        written = _module(root / "scripts" / "version.py").written(root)
        if written != self.metadata.version:
            text = source.read_text(encoding="utf-8")
            source = root / "build" / "version" / "version.py"
            source.parent.mkdir(parents=True, exist_ok=True)
            source.write_text(text.replace(f'"{written}"', f'"{self.metadata.version}"'), encoding="utf-8")
        build_data["force_include"][str(source)] = "buto/version.py"


def _module(script: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"buto_{script.stem}", script)
    if spec is None or spec.loader is None or not script.is_file():
        raise FileNotFoundError(f"{script} is missing; the checkout or source archive is incomplete")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
