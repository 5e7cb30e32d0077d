"""The script of CI for a tag: the sum is judged, and only what passes becomes the anchor of the next one."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.support.checkout import ROOT

STUB = """\
#!/bin/sh
echo "$*" >>calls
[ "$1" != check ] || exit "$CODE"
"""


@pytest.mark.parametrize(("code", "names"), [(0, True), (1, False), (3, False)])
def test_only_a_release_that_passes_is_named_and_the_page_is_always_written(
    tmp_path: Path, code: int, names: bool
) -> None:
    stub = tmp_path / "bin" / "buto"
    stub.parent.mkdir()
    stub.write_text(STUB)
    stub.chmod(0o755)
    done = subprocess.run(
        ["bash", str(ROOT / "ci" / "check.sh")],
        cwd=tmp_path,
        env={
            "PATH": f"{stub.parent}{os.pathsep}{os.environ['PATH']}",
            "BUTO_VENV": str(tmp_path / "none"),
            "BUTO_TESTS": "shop",
            "BUTO_RELEASE": "v1.5",
            "BUTO_HISTORY": "public/index.html",
            "CODE": str(code),
        },
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == code
    check, *later = (tmp_path / "calls").read_text().splitlines()
    assert check.startswith("check shop --release ")
    assert ("release shop v1.5" in later) is names
    assert "history --html public/index.html" in later
