"""The demo begins once more after a first wrong verdict that the machine may cause."""

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
  check*) exit "$(sed -n "$(grep -c '^check' "$TYPED")p" "$CODES")" ;;
esac
"""
"""Its checks end with the codes of a file, one line each."""


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
        timeout=60,
        check=False,
    )
    return done, (place / "typed").read_text().splitlines()


LEARNED = ["train leaker", "check leaker"]
CHANGED = "check leaker --config changed.yaml"
DRAWN = "--quiet plot leaker --out plots"


def test_right_verdicts_are_shown_once(tmp_path: Path) -> None:
    done, lines = shown(tmp_path, 0, 1)
    assert (done.returncode, lines) == (0, [*LEARNED, CHANGED, DRAWN])


@pytest.mark.parametrize(
    ("codes", "first"),
    [((1, 0, 1), LEARNED), ((3, 0, 1), LEARNED), ((0, 3, 0, 1), [*LEARNED, CHANGED])],
    ids=["false alarm", "busier", "busier after the change"],
)
def test_one_false_alarm_or_busy_machine_is_explained_and_all_begins_once_more(
    tmp_path: Path, codes: tuple[int, ...], first: list[str]
) -> None:
    done, lines = shown(tmp_path, *codes)
    assert (done.returncode, lines) == (0, [*first, *LEARNED, CHANGED, DRAWN])
    assert "About one check in a hundred of an unchanged program fails" in done.stdout


@pytest.mark.parametrize("codes", [(1, 1), (1, 3), (3, 3), (4,)])
def test_the_second_time_and_other_faults_fail(tmp_path: Path, codes: tuple[int, ...]) -> None:
    done, lines = shown(tmp_path, *codes)
    assert (done.returncode, lines) == (1, LEARNED * len(codes))
    assert f"'buto check leaker' exited with {codes[-1]}, expected 0" in done.stderr


def test_a_change_that_passes_fails_at_once(tmp_path: Path) -> None:
    done, lines = shown(tmp_path, 0, 0)
    assert (done.returncode, lines) == (1, [*LEARNED, CHANGED])
    assert f"'buto {CHANGED}' exited with 0, expected 1" in done.stderr
