"""All reports of one comparison, from stored runs: who is compared with whom, and what came of it."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from subprocess import CompletedProcess
from urllib.parse import unquote
from xml.etree import ElementTree

import jsonschema
import pytest

from buto import schemas
from tests.support.processes.command import called
from tests.support.runs.stored import leaking_run, store

HEADLINE = "keeps 5.8 MiB more (+53.2 %)"
SAID = f"REGRESSION  new against old: {HEADLINE}"
ENCODED = SAID.replace("%", "%25")
HEAP = "jvm.memory.heap.live"
FILES = {"html": "r.html", "markdown": "r.md", "junitxml": "r.xml", "bencher": "b.json", "json": "r.json"}


class Seen(HTMLParser):
    """What a reader sees of a page: its text and titles, without script and style."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.texts: list[str] = []
        self._hidden = False
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._hidden = tag in ("script", "style")
        self.texts += [value for name, value in attrs if name in ("title", "aria-label") and value]

    def handle_endtag(self, tag: str) -> None:
        self._hidden = False

    def handle_data(self, data: str) -> None:
        if not self._hidden and data.strip():
            self.texts.append(data.strip())


@pytest.fixture(scope="module")
def compared(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, CompletedProcess[str]]:
    """A program that loses more memory than another, launched in turns with it. The last run is old's."""
    directory = tmp_path_factory.mktemp("project")
    for number in range(6):
        for place, test, leak in ((0, "new", 3.0), (1, "old", 1.0)):
            run = leaking_run(2 * number + place, test=test, leak=leak, purpose="compare")
            store(directory, replace(run, stdout=f"printed by {test}\n".encode()))
    options = [word for name, file in FILES.items() for word in (f"--{name}", file)]
    words = ("compare", "old", "--against", "new", "--from-runs", "all", "--github")
    return directory, called(directory, *words, *options)


def test_nowhere_is_one_side_of_a_comparison_called_training(
    compared: tuple[Path, CompletedProcess[str]],
) -> None:
    directory, done = compared
    assert (done.returncode, done.stderr) == (1, "")
    texts = [done.stdout, *(directory.joinpath(FILES[name]).read_text() for name in ("markdown", "junitxml"))]
    for text in (*texts, *Seen((directory / FILES["html"]).read_text()).texts):
        assert "train" not in text.lower()


def test_the_page_names_both_programs_in_every_part(compared: tuple[Path, CompletedProcess[str]]) -> None:
    texts = Seen((compared[0] / FILES["html"]).read_text()).texts
    whole = " ".join(texts)
    assert texts[0] == "regression: new against old"
    assert f"K{HEADLINE[1:]}." in texts
    assert "compared with 6 runs of old" in whole
    assert (
        "The 6 runs of new and the runs of old are put together, and every way of choosing as many" in whole
    )
    assert "The runs of both programs show the usual scatter" in whole
    assert "The shaded range around the 6 runs of old" in whole
    assert (texts.count("new"), texts.count("old")) == (11, 11), (
        "each run's role, heads of columns, and rows of dots"
    )
    # What would be said of an oracle is no concern of who compares.
    assert "oracle" not in whole and "--runs 10" not in whole
    assert "printed by new" in whole and "printed by old" not in whole


def test_markdown_and_annotation_say_what_the_terminal_says(
    compared: tuple[Path, CompletedProcess[str]],
) -> None:
    directory, done = compared
    terminal, _, annotation = done.stdout.rstrip("\n").rpartition("\n")
    assert terminal.startswith(f"{SAID}\n")
    assert annotation.startswith(
        f"::error title=buto new against old%3A regression::{ENCODED}%0A  because: p = "
    )
    assert unquote(annotation).endswith(terminal.partition("\n")[2])
    comment = (directory / FILES["markdown"]).read_text()
    title = "### ❌ **regression** <code>new against old</code>"
    assert comment.startswith(f"<!-- buto: new%20against%20old -->\n{title}\n\nK{HEADLINE[1:]}.\n")
    assert re.search(
        r"^\| <code>live heap</code> \| .* → .* \| \+[\d.]+ MiB .* \| worse \|", comment, re.MULTILINE
    )
    assert f"<pre>{SAID}\n  because: p = " in comment and f"\n  {HEAP}  +" in comment


def test_junit_has_one_failed_case_with_what_the_second_program_printed(
    compared: tuple[Path, CompletedProcess[str]],
) -> None:
    (suite,) = ElementTree.parse(compared[0] / FILES["junitxml"]).getroot()
    assert [suite.get(key) for key in ("tests", "failures", "errors")] == ["1", "1", "0"]
    (case,) = suite
    assert (case.get("name"), [child.tag for child in case]) == ("new against old", ["failure", "system-out"])
    assert case[0].get("message") == SAID
    output = case.findtext("system-out") or ""
    assert output.startswith(f"{SAID}\n") and output.endswith("\n\nprinted by new\n")


def test_the_numbers_for_other_programs_are_each_program_s_own(
    compared: tuple[Path, CompletedProcess[str]],
) -> None:
    directory, _ = compared
    numbers = json.loads((directory / FILES["bencher"]).read_text())
    assert {name.split()[0] for name in numbers} == {"old", "new"}
    old, new = (numbers[f"{test} {HEAP}"]["bytes"] for test in ("old", "new"))
    assert old["lower_value"] <= old["value"] <= old["upper_value"] < new["lower_value"]
    result = json.loads((directory / FILES["json"]).read_text())
    jsonschema.validate(result, schemas.load("result"))
    (test,) = result["tests"]
    assert (result["command"], test["test"], test["oracle"]) == ("compare", "new against old", None)
    assert (test["verdict"]["n_training"], len(test["verdict"]["run_ids"]), len(test["runs"])) == (6, 6, 12)
