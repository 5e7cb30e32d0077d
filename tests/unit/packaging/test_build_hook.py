"""A wheel whose Java parts cannot be built is not built, and says why."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
FAILING_BUILD = """
class BuildError(Exception): ...
def build_all(root, out): raise BuildError("Install openjdk-17-jdk-headless")
"""


def test_a_missing_jdk_ends_in_one_clear_message(tmp_path: Path) -> None:
    for name in ("pyproject.toml", "hatch_build.py", "LICENSE", "NOTICE", "README.md"):
        shutil.copy(ROOT / name, tmp_path)
    (tmp_path / "buto").mkdir()
    shutil.copy(ROOT / "buto" / "version.py", tmp_path / "buto")
    (tmp_path / "scripts").mkdir()
    shutil.copy(ROOT / "scripts" / "version.py", tmp_path / "scripts")
    (tmp_path / "java-probes").mkdir()
    (tmp_path / "java-probes" / "build.py").write_text(FAILING_BUILD)
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
    printed = done.stdout + done.stderr
    assert done.returncode != 0
    assert "buto could not be built.\nInstall openjdk-17-jdk-headless" in printed
    assert "Traceback" not in printed
    assert not list(tmp_path.rglob("*.whl"))
