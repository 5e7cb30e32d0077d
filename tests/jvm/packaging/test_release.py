"""All that a release publishes, built by the command that people type."""

from __future__ import annotations

import json
import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest

from scripts import release
from scripts.version import version
from tests.support.checkout import ROOT
from tests.support.needed import skip_without

pytestmark = [pytest.mark.all, pytest.mark.timeout(3600)]


@pytest.fixture(scope="module")
def built() -> Path:
    """What ``make release-dry-run`` builds, signs, checks and tries."""
    for program in ("mvn", "gpg"):
        if shutil.which(program) is None:
            skip_without(f"{program} is not installed, and a release needs it")
    subprocess.run(["make", "release-dry-run"], cwd=ROOT, check=True, timeout=3600)
    return release.OUT


def test_the_bundle_for_maven_central_has_a_signature_and_checksums_of_each_file(built: Path) -> None:
    with zipfile.ZipFile(built / "maven.zip") as bundle:
        names = set(bundle.namelist())
    files = {name for name in names if not name.endswith((".asc", ".md5", ".sha1"))}
    assert {f"{name}{ending}" for name in files for ending in (".asc", ".md5", ".sha1")} <= names
    place = f"io/github/buto-jvm/buto-junit/{version()}/buto-junit-{version()}"
    assert {f"{place}{ending}" for ending in (".pom", ".jar", "-sources.jar", "-javadoc.jar")} <= files
    assert not [name for name in names if "maven-metadata" in name]


def test_the_digests_cover_all_that_is_not_in_the_bundle(built: Path) -> None:
    listed = {line.split()[1] for line in (built / "SHA256SUMS").read_text().splitlines()}
    files = [path for folder in ("python", "runtime", "sbom") for path in (built / folder).iterdir()]
    assert listed == {path.name for path in files}
    subprocess.run(
        ["sha256sum", "--check", "--quiet", built / "SHA256SUMS", "--ignore-missing"],
        cwd=built / "runtime",
        check=True,
    )


def test_the_list_of_parts_names_each_licence(built: Path) -> None:
    (bill,) = (built / "sbom").iterdir()
    parts = json.loads(bill.read_text())["components"]
    assert {"CPython", "OpenSSL", "buto-jvm", "numpy"} <= {part["name"] for part in parts}
    assert not [part["name"] for part in parts if not part.get("licenses")]


def test_a_file_without_signature_is_a_fault(built: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(built, tmp_path / "release"))
    (jar,) = copy.rglob(f"buto-junit-{version()}.jar")
    jar.with_name(f"{jar.name}.asc").unlink()
    jar.with_name(f"buto-junit-{version()}-javadoc.jar").unlink()
    faults = list(release.maven_faults(copy))
    assert len(faults) == 2
