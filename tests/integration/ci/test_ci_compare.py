"""What ci/check.sh makes of comparisons of revisions, and of a buto that ends badly; a stand-in is called."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.support.checkout import ROOT

STAND_IN = """\
#!/bin/sh
echo "$@" >> asked
for word; do [ "$before" = --markdown ] && echo "what is said of $2" > "$word"; before=$word; done
[ "$2" = "$FAILS" ] && exit 1
[ "$2" != "$KILLED" ] || kill -9 $$
"""


def compared(directory: Path, fails: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Let a stand-in for buto compare revisions; one test is a regression."""
    (directory / "buto").write_text(STAND_IN)
    (directory / "buto").chmod(0o755)
    path = f"{directory}{os.pathsep}{os.environ['PATH']}"
    given = {"PATH": path, "FAILS": fails, "BUTO_BUILD": "mvn -q package", "BUTO_VENV": os.devnull}
    return subprocess.run(
        ["bash", os.fspath(ROOT / "ci" / "check.sh")],
        cwd=directory,
        env={**given, **environment},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize(("fails", "code"), [("shop", 1), ("cart", 1), ("none", 0)])
def test_revisions_are_compared_test_by_test_without_an_oracle(tmp_path: Path, fails: str, code: int) -> None:
    done = compared(tmp_path, fails, BUTO_TESTS="shop cart", BUTO_CHANGED_SINCE="a1b2")
    assert done.returncode == code, done.stderr
    asked = (tmp_path / "asked").read_text().splitlines()
    assert [line.partition(" --json")[0] for line in asked] == [
        f"compare {test} --revisions a1b2 HEAD --build mvn -q package" for test in ("shop", "cart")
    ]
    comment = (tmp_path / "buto-reports" / "comment.md").read_text()
    assert comment == "what is said of shop\nwhat is said of cart\n"
    assert "--html buto-reports/report-2.html" in asked[1]


@pytest.mark.parametrize(
    ("killed", "fails", "code"), [("shop", "", 137), ("cart", "", 137), ("shop", "cart", 1)]
)
def test_a_buto_that_is_killed_never_passes(tmp_path: Path, killed: str, fails: str, code: int) -> None:
    done = compared(tmp_path, fails, BUTO_TESTS="shop cart", BUTO_CHANGED_SINCE="a1b2", KILLED=killed)
    assert done.returncode == code, done.stderr
    without_reports = compared(tmp_path, "", BUTO_BUILD="", BUTO_TESTS=killed, KILLED=killed)
    assert without_reports.returncode == 137


def test_a_test_of_which_nothing_was_said_is_named_in_the_comment(tmp_path: Path) -> None:
    done = compared(tmp_path, "", BUTO_TESTS="shop", BUTO_CHANGED_SINCE="a1b2", PATH="/usr/bin:/bin")
    assert done.returncode == 127
    comment = (tmp_path / "buto-reports" / "comment.md").read_text()
    assert comment.startswith(
        "⚠️ **not checked**: buto compare shop ended with exit code 127; what it printed "
    )


def test_revisions_of_no_test_are_wrong_usage(tmp_path: Path) -> None:
    done = compared(tmp_path, "none", BUTO_CHANGED_SINCE="a1b2")
    assert (done.returncode, "also give tests" in done.stderr) == (2, True)


def test_reports_that_cannot_be_written_are_no_regression(tmp_path: Path) -> None:
    done = compared(tmp_path, "none", BUTO_TESTS="shop", BUTO_REPORTS="buto/reports")
    assert (done.returncode, "buto/reports cannot be written" in done.stderr) == (3, True)
