"""What ci/explain.py adds to the comment of a check, with a stand-in for buto why."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from buto.errors import EXIT_REGRESSION
from buto.report.formats.json_result import result_document, result_text
from buto.report.result import Result
from tests.support.checkout import ROOT
from tests.support.report import made

EXPLAINS = """\
#!/bin/sh
printf '%s\\n' "$@" > asked
for word; do [ "$before" = --markdown ] && echo 'Cart.add allocates more' > "$word"; before=$word; done
"""


def explained(directory: Path, script: str, *results: Result) -> str:
    """Return the comment after a check with these results, or every kind of result."""
    reports = directory / "reports"
    reports.mkdir()
    document = result_document("check", results or made.every_result(), EXIT_REGRESSION, made.FINISHED)
    (reports / "result.json").write_text(result_text(document))
    (reports / "comment.md").write_text("what the check says\n")
    buto = directory / "buto"
    buto.write_text(script)
    buto.chmod(0o755)
    words = [sys.executable, os.fspath(ROOT / "ci" / "explain.py"), "reports", "v1", "mvn -q package"]
    environment = {**os.environ, "PATH": f"{directory}{os.pathsep}{os.environ['PATH']}"}
    subprocess.run(words, cwd=directory, env=environment, check=True, timeout=60)
    return (reports / "comment.md").read_text()


def test_each_regression_is_explained_in_the_comment_and_nothing_else_is(tmp_path: Path) -> None:
    assert explained(tmp_path, EXPLAINS) == "what the check says\n\nCart.add allocates more\n"
    asked = (tmp_path / "asked").read_text().splitlines()
    assert asked == [
        *("why", made.regression().test, "--revisions", "v1", "HEAD", "--build", "mvn -q package"),
        *("--html", "reports/why-1.html", "--markdown", "reports/why-1.md"),
    ]


def test_what_cannot_be_explained_is_said_and_breaks_nothing(tmp_path: Path) -> None:
    comment = explained(tmp_path, "#!/bin/sh\nexit 3\n")
    assert comment.startswith("what the check says\n\n⚠️ not explained: <code>buto why ")
    assert "--build &#39;mvn -q package&#39;</code> ended with exit code 3" in comment


@pytest.mark.parametrize("test", made.EVIL)
def test_no_name_of_a_test_is_markup_in_the_comment(tmp_path: Path, test: str) -> None:
    comment = explained(tmp_path, "#!/bin/sh\nexit 3\n", replace(made.regression(), test=test))
    said = comment.removeprefix("what the check says\n")
    assert not set("`!@[]*~|$()") & set(said)
    assert said.count("<") == said.count(">") == 2
    assert len(said.splitlines()) <= 2
