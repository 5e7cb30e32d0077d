"""The demo begins once more after the first false alarm, and fails after any other wrong verdict."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.checkout import ROOT

BUTO = """\
#!/bin/sh
echo "$@" >> "$TYPED"
case "$*" in
  "check leaker") exit "$(sed -n "$(grep -cx 'check leaker' "$TYPED")p" "$CODES")" ;;
  *changed*) exit 1 ;;
esac
"""
"""Its checks of the unchanged program end with the codes of a file, one line each."""


def shown(place: Path, *codes: int) -> tuple[subprocess.CompletedProcess[str], list[str]]:
    """Run the demo in a checkout of its own; return how it ended and what it typed."""
    shutil.copytree(ROOT / "demo", place / "demo")
    buto = place / "bin" / "buto"
    buto.parent.mkdir()
    buto.write_text(BUTO)
    buto.chmod(0o755)
    (place / "codes").write_text("".join(f"{code}\n" for code in codes))
    path = f"{buto.parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        [sys.executable, place / "demo" / "demo.py"],
        env={**os.environ, "PATH": path, "TYPED": f"{place}/typed", "CODES": f"{place}/codes"},
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    return done, (place / "typed").read_text().splitlines()


LEARNED = ["train leaker", "check leaker"]
REST = ["check leaker --config changed.yaml", "--quiet plot leaker --out plots"]


def test_right_verdicts_are_shown_once(tmp_path: Path) -> None:
    done, lines = shown(tmp_path, 0)
    assert (done.returncode, lines) == (0, [*LEARNED, *REST])


def test_one_false_alarm_is_explained_and_all_begins_once_more(tmp_path: Path) -> None:
    done, lines = shown(tmp_path, 1, 0)
    assert (done.returncode, lines) == (0, [*LEARNED, *LEARNED, *REST])
    assert "about one in a hundred does" in done.stdout


@pytest.mark.parametrize("codes", [(1, 1), (1, 3), (3,)])
def test_two_alarms_and_other_faults_fail(tmp_path: Path, codes: tuple[int, ...]) -> None:
    done, lines = shown(tmp_path, *codes)
    assert (done.returncode, lines) == (1, LEARNED * len(codes))
    assert f"'buto check leaker' exited with {codes[-1]}, expected 0" in done.stderr
