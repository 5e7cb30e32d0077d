"""Compiles the Java parts into ``buto/jars/`` whenever a wheel is built, editable ones included."""

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
        build = _java_build(root)
        try:
            build.build_all(root, root / "buto" / "jars")
        except build.BuildError as failure:
            self.app.abort(f"buto could not be built.\n{failure}")


def _java_build(root: Path) -> ModuleType:
    script = root / "java-probes" / "build.py"
    spec = importlib.util.spec_from_file_location("buto_java_build", script)
    if spec is None or spec.loader is None:
        raise FileNotFoundError(f"{script} is missing; the checkout or source archive is incomplete")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
