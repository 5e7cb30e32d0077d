"""The doctor on this machine, which must be able to measure."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path


def test_the_doctor_tries_every_jvm_of_this_machine(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "buto", "doctor", "--json", "doctor.json"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    document = json.loads((tmp_path / "doctor.json").read_text())
    by_name = {check["name"]: check for check in document["checks"]}
    jvms = [check for name, check in by_name.items() if name.startswith("java ")]
    assert done.returncode == 0, done.stdout
    assert document["can_measure"]
    assert {"clock", "cores", "store", "temporary files", "load by others"} <= set(by_name)
    assert jvms
    assert [check["level"] for check in jvms] == ["ok"] * len(jvms), jvms
    assert all("its clock is buto's" in check["said"] for check in jvms)
    assert not (tmp_path / ".buto").exists()
