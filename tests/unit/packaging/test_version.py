"""The tag decides the version of what is built; what is written elsewhere agrees."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from buto.version import __version__
from scripts.version import version, written
from tests.support.checkout import ROOT

NAMED = {
    "build-plugins/pom.xml": r"<revision>([^<]+)</revision>",
    "examples/maven/pom.xml": r"<artifactId>buto-maven-plugin</artifactId>\s*<version>([^<]+)<",
    "examples/junit/pom.xml": r"<artifactId>buto-junit</artifactId>\s*<version>([^<]+)<",
    "examples/gradle/build.gradle": r"buto-gradle-plugin:([^']+)'",
    "docs/running/builds.md": r"buto-(?:gradle-plugin:|junit:|maven-plugin</artifactId>\s*<version>)([\d.]+)",
    "docs/install.md": r"(?:buto-gradle-plugin:|download/v|buto-runtime-)(\d[\d.]*\d)",
    "ci/Dockerfile": r"buto-runtime-(\d[\d.]*\d)",
    "buto/actions/init.py": r"buto-junit:([\d.]+)",
}
"""Where the version of a release is written, and how."""


@pytest.mark.parametrize("place", NAMED)
def test_the_version_is_the_same_wherever_it_is_written(place: str) -> None:
    named = re.findall(NAMED[place], (ROOT / place).read_text())
    assert set(named) == {__version__}


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A repository with what a wheel is built from, but no Java."""
    for name in ("pyproject.toml", "hatch_build.py", "LICENSE", "NOTICE", "README.md"):
        shutil.copy(ROOT / name, tmp_path)
    for place in ("buto/version.py", "scripts/version.py"):
        (tmp_path / place).parent.mkdir()
        shutil.copy(ROOT / place, tmp_path / place)
    (tmp_path / "java-probes").mkdir()
    (tmp_path / "java-probes/build.py").write_text(
        "class BuildError(Exception): ...\ndef build_all(root, out): pass\n"
    )
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "--quiet", "--message", "All")
    return tmp_path


def git(directory: Path, *words: str) -> None:
    who = ["-c", "user.name=Me", "-c", "user.email=me@example.org", "-c", "tag.gpgSign=false"]
    subprocess.run(["git", *who, *words], cwd=directory, check=True, timeout=60)


def test_a_checkout_without_a_tag_has_the_written_version(checkout: Path) -> None:
    assert version(checkout) == written(checkout) == __version__


def test_without_git_the_written_version_counts(checkout: Path) -> None:
    git(checkout, "tag", "v4.5.6")
    shutil.rmtree(checkout / ".git")
    assert version(checkout) == __version__


def test_a_later_commit_is_not_of_the_tags_version(checkout: Path) -> None:
    git(checkout, "tag", "v4.5.6")
    git(checkout, "commit", "--quiet", "--allow-empty", "--message", "Later")
    assert version(checkout) == __version__


@pytest.mark.slow
def test_the_wheel_of_a_tagged_commit_says_the_tags_version(checkout: Path) -> None:
    git(checkout, "tag", "--annotate", "v4.5.6", "--message", "buto 4.5.6")
    assert version(checkout) == "4.5.6"
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel"]
    subprocess.run(command, cwd=checkout, check=True, capture_output=True, timeout=60)
    with zipfile.ZipFile(checkout / "dist/buto_jvm-4.5.6-py3-none-any.whl") as wheel:
        assert '__version__ = "4.5.6"' in wheel.read("buto/version.py").decode()
        assert wheel.namelist().count("buto/version.py") == 1
