"""Source archive, wheel and installation, as a user gets them."""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import venv
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
JARS = ["buto-agent.jar", "buto-jmx.jar", "buto-testprograms.jar"]


def run(command: Sequence[str], **environment: str) -> str:
    done = subprocess.run(
        command,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def distributions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A source archive of the checkout, and the wheel that was built from that archive alone."""
    out = tmp_path_factory.mktemp("dist")
    run([sys.executable, "-m", "build", "--no-isolation", "--outdir", str(out), str(ROOT)])
    return out


def test_the_source_archive_carries_java_sources_and_no_jar(distributions: Path) -> None:
    with tarfile.open(next(distributions.glob("*.tar.gz"))) as archive:
        names = archive.getnames()
    assert any(name.endswith("buto/probes/agent/Agent.java") for name in names)
    assert any(name.endswith("testprograms/leaker/Leaker.java") for name in names)
    assert not [name for name in names if name.endswith(".jar")]


def test_the_wheel_carries_jars_and_schemas_for_any_platform(distributions: Path) -> None:
    wheel = next(distributions.glob("*.whl"))
    assert wheel.name.endswith("-py3-none-any.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert [name for name in names if name.endswith(".jar")] == [f"buto/jars/{jar}" for jar in JARS]
    assert "buto/schemas/result.schema.json" in names
    assert not [name for name in names if not name.startswith(("buto/", "buto-"))]


def test_the_wheel_installs_and_works_without_a_compiler(distributions: Path, tmp_path: Path) -> None:
    venv.create(tmp_path / "venv", with_pip=False, symlinks=True)
    python = str(tmp_path / "venv" / "bin" / "python")
    wheel = str(next(distributions.glob("*.whl")))
    nothing = {"PATH": "", "JAVA_HOME": ""}
    pip = [sys.executable, "-m", "pip", "--python", python, "install", "--no-deps", "--no-index", "--quiet"]
    run([*pip, wheel], **nothing)
    others = next(path for path in sys.path if path.endswith("site-packages"))
    script = "from buto import jars; print(jars.path(jars.AGENT)); print(jars.path(jars.TESTPROGRAMS))"
    said = run([python, "-I", "-c", script], **nothing)
    assert all(Path(line).is_relative_to(tmp_path) for line in said.splitlines())
    buto = str(tmp_path / "venv" / "bin" / "buto")
    assert run([buto, "--version"], PYTHONPATH=others, **nothing).startswith("buto ")
