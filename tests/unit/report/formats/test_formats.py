"""JUnit XML, Markdown, GitHub annotations, Bencher's JSON: what readers get, and what no text can do."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import jsonschema
import pytest
from markdown_it import MarkdownIt

from buto.judging.verdict import Status
from buto.report.check_report import CodeCause
from buto.report.formats.junit import MAX_OUTPUT, junit_xml, workflow_commands
from buto.report.formats.markdown import code, markdown_text, marker, without_places
from buto.report.formats.trackers import MAX_NAME, bencher_text
from buto.report.result import LeftOut, Result, reported
from buto.report.terminal.verdict import result_lines
from buto.report.words import NOTED
from tests.support.report import golden, made
from tests.support.runs.qualities import starved

HUGE = "x" * 10_000_000
BENCHER_SCHEMA = {
    "type": "object",
    "additionalProperties": {
        "type": "object",
        "minProperties": 1,
        "additionalProperties": {
            "type": "object",
            "required": ["value"],
            "additionalProperties": False,
            "properties": {key: {"type": "number"} for key in ("value", "lower_value", "upper_value")},
        },
    },
}
"""What https://bencher.dev/bmf.json says, without room for anything else."""


def cases(results: list[Result]) -> list[ElementTree.Element]:
    return ElementTree.fromstring(junit_xml(results, made.FINISHED)).findall("testsuite/testcase")


def test_junit_is_as_in_the_golden_file() -> None:
    golden.same("junit.xml", junit_xml(made.every_result(), made.FINISHED).decode())


def test_junit_has_a_case_for_each_test_that_says_what_the_terminal_says() -> None:
    regression, steady, moved, broken = cases(made.every_result())
    failure = regression.find("failure")
    assert failure is not None and failure.text is not None
    assert failure.text == "\n".join(result_lines(made.regression()))
    assert failure.text.endswith("\n  next: buto train leaker  # if the change is meant")
    assert "next: buto plot leaker" in (regression.findtext("system-out") or "")
    assert [child.tag for child in steady] == ["system-out"]
    assert [child.tag for child in moved] == ["error", "system-out"]
    assert [(child.tag, child.get("type")) for child in broken] == [("error", "not measured")]
    suite = ElementTree.fromstring(junit_xml(made.every_result(), made.FINISHED)).find("testsuite")
    assert suite is not None
    assert [suite.get(key) for key in ("tests", "failures", "errors")] == ["4", "1", "2"]


@pytest.mark.parametrize("text", made.EVIL)
def test_text_from_outside_is_only_text_in_junit(text: str) -> None:
    for case in cases(made.hostile(text)):
        assert {child.tag for child in case} <= {"failure", "error", "system-out", "system-err"}
        assert all(len(child) == 0 for child in case)
        for words in filter(None, [case.get("name"), *(child.text for child in case)]):
            assert all(line.isprintable() for line in words.split("\n"))


def test_junit_keeps_the_end_of_what_was_printed() -> None:
    printed = replace(made.run(), stdout=b"\xff" + HUGE.encode() + b"the end")
    failed = made.regression()
    assert failed.report is not None
    output = cases([reported(replace(failed.report, checked=made.run_set([printed])), made.ORACLE)])[0]
    text = output.findtext("system-out") or ""
    assert text.endswith("the end")
    assert len(text.rpartition("\n\n")[2]) == MAX_OUTPUT


@pytest.mark.parametrize("text", made.EVIL)
def test_what_was_left_out_is_only_text_and_neither_good_nor_bad(text: str) -> None:
    left_out = [LeftOut(text[:50], text), LeftOut("plain", "plain")]
    document = junit_xml([], made.FINISHED, left_out)
    suite = ElementTree.fromstring(document).find("testsuite")
    assert suite is not None
    assert [suite.get(key) for key in ("tests", "failures", "errors", "skipped")] == ["2", "0", "0", "2"]
    assert [[child.tag for child in case] for case in suite] == [["skipped"], ["skipped"]]
    assert (suite[0][0].get("message") or "").isprintable()
    assert tags(markdown_text([], left_out)).tags == ["p", "strong", "code", "code"] * 2
    assert all(line.isprintable() for line in markdown_text([], left_out).split("\n"))


def rendered(markdown: str) -> str:
    """As GitHub renders it, in so far as it follows GitHub's specification of Markdown."""
    return str(MarkdownIt("gfm-like", {"linkify": False, "html": True}).render(markdown))


class Tags(HTMLParser):
    """Collects elements, and the text of those cells and code elements."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)

    def handle_data(self, data: str) -> None:
        self.text += data


def tags(markdown: str) -> Tags:
    found = Tags()
    found.feed(rendered(markdown))
    return found


def test_markdown_is_as_in_the_golden_file() -> None:
    golden.same("comment.md", markdown_text(made.every_result()))


def test_each_test_has_a_marker_that_is_always_the_same() -> None:
    text = markdown_text(made.every_result())
    assert re.findall(r"^<!-- .* -->$", text, re.MULTILINE) == [
        marker(name) for name in ("leaker", "steady", "moved", "broken")
    ]
    assert marker("a --> b--") == "<!-- buto: a%20%2D%2D%3E%20b%2D%2D -->"


def test_the_findings_are_a_table_and_the_rest_unfolds() -> None:
    page = tags(markdown_text([made.regression()]))
    assert page.tags.count("tr") == 3
    assert {"table", "details", "summary", "pre"} <= set(page.tags)
    assert "+3 MiB (+300 %)" in page.text


def test_the_comment_names_the_code_that_did_it() -> None:
    result = made.regression()
    cause = CodeCause(
        "+9 MB allocated: `A.scan` calls `B.peek` more often.",
        "cause",
        "allocation",
        "A.scan",
        "",
        0,
        "changed",
        "By",
        0.0,
        9e6,
        0.9,
        "",
        ("-peek();", "+</pre>@all"),
    )
    report = replace(result.report, causes=(cause,))
    text = markdown_text([replace(result, report=report)])
    assert tags(text).text.index("`A.scan` calls `B.peek`") < text.index("Cost: ")
    assert "<pre>-peek();\n+&lt;/pre&gt;@all</pre>" in text


def test_the_comment_has_three_findings_what_they_cost_and_what_to_type() -> None:
    result = made.regression()
    first = result.verdict.findings[0]
    findings = tuple(replace(first, subject=f"com.acme.count{number}") for number in range(5))
    report = replace(result.report, verdict=replace(result.verdict, findings=findings))
    above, _, folded = markdown_text([replace(result, report=report, verdict=report.verdict)]).partition(
        "<details>"
    )
    assert [number for number in range(5) if f"com.acme.count{number}" in above] == [0, 1, 2]
    assert [number for number in range(5) if f"<code>com.acme.count{number}" in folded] == [3, 4]
    assert "And 2 more changes, in the details." in above
    assert "\nCost: 2 launches, 8 s.\n" in above
    assert "buto check leaker" in above
    assert "if the change is meant" in above


@pytest.mark.parametrize("text", made.EVIL)
def test_text_from_outside_is_only_text_in_markdown(text: str) -> None:
    page = tags(markdown_text(made.hostile(text)))
    plain = tags(markdown_text(made.hostile("plain")))
    assert page.tags == plain.tags
    assert all(line.isprintable() for line in markdown_text(made.hostile(text)).split("\n"))


def test_nobody_is_mentioned_outside_of_code() -> None:
    text = markdown_text(made.hostile("@everyone www.example.org"))
    outside = re.sub(r"<(code|pre)>.*?</\1>|<!--.*?-->", "", text, flags=re.DOTALL)
    assert not re.search(r"(@|&#64;)everyone|www\.", outside)
    assert code("a|b`c`") == "<code>a&#124;b&#96;c&#96;</code>"


@pytest.mark.parametrize("render", [markdown_text, lambda results: "\n".join(workflow_commands(results))])
def test_huge_text_does_not_fill_a_comment(render: Any) -> None:
    length = len(render(made.hostile(HUGE)))
    assert length < 60_000


def test_annotations_are_as_in_the_golden_file() -> None:
    golden.same("annotations.txt", "\n".join(workflow_commands(made.every_result())) + "\n")


def test_the_file_of_an_annotation_is_named_from_the_top_of_the_repository(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "shop").mkdir()
    monkeypatch.chdir(tmp_path / "shop")
    for top, named in (
        (tmp_path, "shop/oracles"),
        (tmp_path / "shop", "oracles"),
        (tmp_path / "x", "oracles"),
    ):
        [line] = workflow_commands([made.regression()], top)
        assert line.startswith(f"::error file={named}/leaker.json,title=")


def test_a_pass_is_annotated_only_with_warnings() -> None:
    fine = reported(made.report(made.verdict(Status.PASS)), made.ORACLE)
    warned = reported(made.report(made.verdict(Status.PASS, warnings=("a", "b"))), made.ORACLE)
    assert workflow_commands([fine]) == []
    [line] = workflow_commands([warned])
    assert re.fullmatch(r"::warning file=oracles/leaker\.json,title=[^:,]+%3A pass::a%0Ab", line)


def noting() -> Result:
    """A pass in which a change is noted."""
    return reported(made.report(made.verdict(Status.PASS, noted=(made.leak(),))), made.ORACLE)


def test_what_is_noted_is_a_notice_at_most() -> None:
    [line] = workflow_commands([noting()])
    assert line.startswith(
        "::notice file=oracles/leaker.json,title=buto leaker%3A pass::PASS  leaker: noted: used"
    )


def test_what_is_noted_is_in_the_output_of_a_passed_case_and_no_failure() -> None:
    [case] = cases([noting()])
    assert [child.tag for child in case] == ["system-out"]
    output = case.findtext("system-out") or ""
    assert output.startswith("PASS  leaker: noted: used memory (G1 Old Gen) 4x (1 → 4 MiB); no change")
    assert f"\n  noted, {NOTED}:\n" in output


def test_what_is_noted_is_told_in_the_comment_of_a_pass() -> None:
    text = markdown_text([noting()])
    assert "✅ **pass**" in text
    page = tags(text)
    assert page.text.lstrip().partition("\n")[2].startswith("Noted: used memory (G1 Old Gen) 4x")
    assert page.tags.count("tr") == 2
    assert f"noted, {NOTED}:" in page.text


@pytest.mark.parametrize("text", made.EVIL)
def test_text_from_outside_is_only_text_in_an_annotation(text: str) -> None:
    for line in workflow_commands(made.hostile(text), Path.cwd()):
        assert line.isprintable()
        command, properties, message = re.fullmatch(r"::(\w+) ([^:]*)::(.*)", line).groups()  # type: ignore[union-attr]
        assert command == "error"
        assert [property_text.split("=")[0] for property_text in properties.split(",")] == ["file", "title"]
        assert not re.search(r"%(?!25|0A|0D)", message)


def test_bencher_json_is_as_in_the_golden_file_and_follows_its_schema() -> None:
    document = json.loads(golden.same("bencher.json", bencher_text(made.every_result())))
    jsonschema.validate(document, BENCHER_SCHEMA)


def test_bencher_has_the_median_of_the_runs_between_the_lowest_and_the_highest() -> None:
    runs = [
        replace(made.run(str(n)), outcome=replace(made.run().outcome, duration_s=n)) for n in (3.0, 4.0, 9.0)
    ]
    document = json.loads(bencher_text([Result("leaker", Path("o"), runs)]))
    assert document["leaker run.duration"] == {
        "seconds": {"value": 4.0, "lower_value": 3.0, "upper_value": 9.0}
    }
    assert document[f"leaker {made.THREADS}"] == {
        "count": {"value": 10.0, "lower_value": 10.0, "upper_value": 10.0}
    }


def test_an_invalid_run_is_not_tracked() -> None:
    invalid = Result("leaker", Path("o"), [made.run(quality=starved("x"))])
    assert json.loads(bencher_text([invalid])) == {}


@pytest.mark.parametrize("text", [*made.EVIL, HUGE])
def test_text_from_outside_is_only_a_name_for_bencher(text: str) -> None:
    strange = made.hostile(text)[0].runs[0]
    valid = replace(strange, quality=made.QUIET)
    text = bencher_text([Result(text, Path("o"), [valid])])
    for name in json.loads(text):
        assert name.isprintable()
        assert len(name) <= MAX_NAME


@pytest.mark.parametrize("written", [str, code, html.escape])
def test_markdown_names_no_directory_of_the_machine(written: Callable[[str], str]) -> None:
    places = {"/home/me/my_<shop>": "", "/home/me": "HOME/", "/": "!", "": "!"}
    said = (
        "-cp target/classes:/home/me/my_<shop>/core/core.jar:/home/me/.m2/a.jar:/mnt/home/me/b.jar:/opt/c.jar"
    )
    short = "-cp target/classes:core/core.jar:HOME/.m2/a.jar:/mnt/home/me/b.jar:/opt/c.jar"
    assert without_places(written(said), places) == written(short)
