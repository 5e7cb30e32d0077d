"""The plugins are built once, by the command that people type, into the checkout and nowhere else."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support.builds.plugin_builds import PLUGINS, REPOSITORY, Sample, gradle_sample, maven_sample
from tests.support.checkout import ROOT
from tests.support.needed import skip_without

BUILD_TIMEOUT_S = 1200.0
"""The first build loads some hundred megabytes."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.is_relative_to(Path(__file__).parent):
            item.add_marker(pytest.mark.jvm)
            item.add_marker(pytest.mark.timeout(BUILD_TIMEOUT_S))


@pytest.fixture(scope="session")
def plugins() -> Path:
    """The repository with the built plugins; several test processes build it one after the other."""
    if shutil.which(os.environ.get("MVN", "mvn")) is None:
        skip_without("Maven builds the plugins, and is not installed (Debian: apt-get install maven)")
    directory = os.open(PLUGINS, os.O_RDONLY)
    try:
        fcntl.flock(directory, fcntl.LOCK_EX)
        subprocess.run(["make", "plugins"], cwd=ROOT, check=True, timeout=BUILD_TIMEOUT_S)
    finally:
        os.close(directory)
    return REPOSITORY


@pytest.fixture
def maven(plugins: Path, tmp_path: Path) -> Sample:
    """The example of the Maven plugin."""
    return maven_sample("maven", tmp_path)


@pytest.fixture
def junit(plugins: Path, tmp_path: Path) -> Sample:
    """The example of the JUnit module."""
    return maven_sample("junit", tmp_path)


@pytest.fixture(scope="session")
def for_gradle(plugins: Path) -> Path:
    """The repository with the built plugins, where there is a Gradle to use them."""
    if shutil.which("gradle") is None:
        skip_without("Gradle is not installed (Debian: apt-get install gradle)")
    return plugins


@pytest.fixture
def gradle(for_gradle: Path, tmp_path: Path) -> Sample:
    """The example of the Gradle plugin."""
    return gradle_sample("gradle", tmp_path)
