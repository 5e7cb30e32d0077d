"""Source archive, wheel and installation, as a user gets them."""

from __future__ import annotations

import sys
import tarfile
import zipfile
from collections.abc import Iterable
from email import message_from_bytes
from importlib.metadata import Distribution, distribution
from importlib.metadata import distributions as distributions_in
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from scripts import dist
from tests.support.checkout import ROOT

pytestmark = pytest.mark.all

JARS = [
    *("buto-agent.jar", "buto-classes.jar", "buto-heap.jar", "buto-jfr.jar", "buto-jmx.jar"),
    "buto-testprograms.jar",
]


@pytest.fixture(scope="module")
def distributions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A source archive of the checkout, and the wheel built from that archive alone, checked by twine."""
    out = tmp_path_factory.mktemp("dist")
    dist.build(out)
    return out


@pytest.fixture(scope="module")
def wheel(distributions: Path) -> Path:
    return next(distributions.glob("*.whl"))


def required(requirements: Iterable[str], found: dict[str, Distribution]) -> dict[str, Distribution]:
    """Return the installed distributions that these requirements need, theirs included."""
    for requirement in map(Requirement, requirements):
        name = canonicalize_name(requirement.name)
        if name not in found and (requirement.marker is None or requirement.marker.evaluate({"extra": ""})):
            found[name] = distribution(name)
            required(found[name].requires or (), found)
    return found


def test_the_source_archive_carries_java_sources_and_no_jar(distributions: Path) -> None:
    with tarfile.open(next(distributions.glob("*.tar.gz"))) as archive:
        names = archive.getnames()
    assert any(name.endswith("buto/probes/agent/Agent.java") for name in names)
    assert any(name.endswith("testprograms/leaker/Leaker.java") for name in names)
    assert any(name.endswith("replications/beds/keycloak/plan.py") for name in names)
    assert not [name for name in names if name.endswith(".jar") or "/.cache/" in name]


def test_the_wheel_carries_jars_and_schemas_for_any_platform(distributions: Path) -> None:
    wheel = next(distributions.glob("*.whl"))
    assert wheel.name.endswith("-py3-none-any.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert [name for name in names if name.endswith(".jar")] == [f"buto/jars/{jar}" for jar in JARS]
    assert {"buto/schemas/result.schema.json", "buto/py.typed"} <= set(names)
    assert not [name for name in names if not name.startswith(("buto/", "buto_jvm-"))]


def test_both_carry_licence_and_notice(distributions: Path, wheel: Path) -> None:
    with tarfile.open(next(distributions.glob("*.tar.gz"))) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"LICENSE", "NOTICE", "CHANGELOG.md", "CONTRIBUTING.md"} <= names
    (place,) = Path(wheel.name).stem.split("-py3")[:1]
    with zipfile.ZipFile(wheel) as archive:
        known = message_from_bytes(archive.read(f"{place}.dist-info/METADATA"))
        for name in ("LICENSE", "NOTICE"):
            assert archive.read(f"{place}.dist-info/licenses/{name}") == (ROOT / name).read_bytes()
    assert known["License-Expression"] == "Apache-2.0"
    assert known.get_all("License-File") == ["LICENSE", "NOTICE"]


def test_the_wheel_trains_and_checks_where_only_what_it_requires_is_installed(
    wheel: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As ``make dist`` tries it; what the wheel requires is linked, which needs no package index."""
    python = dist.empty_environment(tmp_path / "venv", with_pip=False)
    pip = [sys.executable, "-m", "pip", "--python", python, "install", "--no-deps", "--no-index", "--quiet"]
    with monkeypatch.context() as without_a_compiler:
        without_a_compiler.setenv("PATH", "")
        without_a_compiler.setenv("JAVA_HOME", "")
        dist.run([*pip, wheel])
    (packages,) = (tmp_path / "venv").glob("lib/python*/site-packages")
    (own,) = distributions_in(path=[str(packages)])
    for each in required(own.requires or (), {}).values():
        for name in {file.parts[0] for file in each.files or ()} - {"..", "__pycache__"}:
            place = packages / name
            if not place.exists():
                place.symlink_to(Path(str(each.locate_file(name))))
    assert [line.rpartition(" ")[2] for line in dist.try_wheel(python, tmp_path / "project")[1:]] == [
        "0",
        "0",
        "1",
    ]
