"""Results as builds read them: JUnit XML for Jenkins and GitLab, and annotations for GitHub.

In JUnit XML, each check is one test case. A regression is a failure; a test that could not be measured or
judged is an error. The file has only elements and attributes that strict readers know (no properties of a
test case, for example). The text of a failure is short; all that is known of it precedes the program's
output, which build servers fold.

GitHub's annotations are workflow commands that a build prints for tests that failed, or that have warnings
or changes to be noted. The runner shows ten errors, ten warnings and ten notices of a step, so each test has
only one of a kind.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from xml.etree import ElementTree

from buto.errors import EXIT_USAGE
from buto.judging.verdict import Status
from buto.report.result import FINE, LeftOut, Result
from buto.report.sanitize import MAX_TEXT, one_line
from buto.report.terminal.verdict import Detail, result_lines
from buto.report.words import status_of
from buto.run.model import Run

SUITE = "buto"
OUTPUT, ERRORS = "system-out", "system-err"
MAX_OUTPUT = 16_384
"""Characters of the program's output, from its end."""

_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML 1.0 cannot have, not even escaped."""


def junit_xml(results: Sequence[Result], finished: datetime, left_out: Sequence[LeftOut] = ()) -> bytes:
    """Return the whole file in UTF-8.

    Args:
        finished: when the command ended; aware, written in UTC.
        left_out: tests that the command did not run; here they are skipped tests.
    """
    cases = [*map(_case, results), *map(_case_of_skipped, left_out)]
    counts = {
        "tests": len(cases),
        "failures": sum(case.find("failure") is not None for case in cases),
        "errors": sum(case.find("error") is not None for case in cases),
        "skipped": len(left_out),
    }
    hosts = {str(run.metadata.get("host.name", "")) for result in results for run in result.runs}
    suite = ElementTree.Element(
        "testsuite",
        {
            "name": SUITE,
            **{name: str(count) for name, count in counts.items()},
            "time": _seconds([run for result in results for run in result.runs]),
            "timestamp": f"{finished.astimezone(UTC):%Y-%m-%dT%H:%M:%S}",
            "hostname": one_line(", ".join(sorted(hosts - {""})), MAX_TEXT),
        },
    )
    suite.extend(cases)
    root = ElementTree.Element("testsuites")
    root.append(suite)
    ElementTree.indent(root)
    text: bytes = ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
    return text + b"\n"


def _case(result: Result) -> ElementTree.Element:
    case = _test_case(result.test, _seconds(result.runs))
    lines = result_lines(result)
    text, whole = "\n".join(lines), "\n".join(result_lines(result, Detail.FULL))
    if result.status in FINE:
        _add(case, OUTPUT, whole if result.verdict is not None and result.verdict.noted else text)
        return case
    kind = result.status if result.verdict is None else status_of(result.verdict)
    if result.error is not None:
        kind = "usage" if result.error.exit_code == EXIT_USAGE else "not measured"
    what = "failure" if result.status == Status.REGRESSION.value else "error"
    _add(case, what, text, {"type": kind, "message": lines[0]})
    # In a comparison, the second program's: the rest of the case is about it, too.
    shown = result.runs if result.report is None else result.report.checked
    run = next((run for run in reversed([*shown]) if run.stdout or run.stderr), None)
    said, complained = ("", "") if run is None else (_end_of(run.stdout), _end_of(run.stderr))
    if whole != text:
        said = "\n\n".join(filter(None, (whole, said)))
    for name, printed in ((OUTPUT, said), (ERRORS, complained)):
        if printed:
            _add(case, name, printed)
    return case


def _case_of_skipped(left_out_test: LeftOut) -> ElementTree.Element:
    case = _test_case(left_out_test.test, "0.000")
    _add(case, "skipped", "", {"message": one_line(left_out_test.why)})
    return case


def _test_case(test: str, seconds: str) -> ElementTree.Element:
    return ElementTree.Element("testcase", {"classname": SUITE, "name": one_line(test), "time": seconds})


def _add(parent: ElementTree.Element, tag: str, text: str, attributes: dict[str, str] | None = None) -> None:
    child = ElementTree.SubElement(parent, tag, attributes or {})
    child.text = _FORBIDDEN.sub(lambda match: match[0].encode("unicode_escape").decode(), text)


def _end_of(output: bytes) -> str:
    """Return the end of a run's output, with invisible characters escaped."""
    text = output[-4 * MAX_OUTPUT :].decode(errors="replace")[-MAX_OUTPUT:]
    return "\n".join(one_line(line) for line in text.split("\n"))


def _seconds(runs: Sequence[Run]) -> str:
    return f"{sum(run.outcome.duration_s for run in runs):.3f}"


def workflow_commands(results: Sequence[Result], top: Path | None = None) -> list[str]:
    """Return a line for each annotation: an error if the test did not pass, else a warning, and a notice of
    what is noted.

    Args:
        top: directory of the repository, to which file names are relative; None for the current directory.
    """
    return [line for result in results for line in _annotation(result, top)]


def _annotation(result: Result, top: Path | None) -> list[str]:
    fine = result.status in FINE
    warnings = result.warnings if result.verdict is None else result.verdict.warnings
    noted = result.verdict is not None and result.verdict.noted
    texts = {
        "error": [] if fine else result_lines(result),
        "warning": [one_line(warning) for warning in warnings] if fine else [],
        "notice": result_lines(result, Detail.HEADLINE) if fine and noted else [],
    }
    status = result.status if result.verdict is None else status_of(result.verdict)
    where = {"title": f"buto {result.test}: {status}"}
    if result.oracle is not None:
        # Without asking the file system: the name of a test may be one that no file can have.
        whole = Path(os.path.abspath(result.oracle))
        inside = top is not None and whole.is_relative_to(top)
        where = {"file": str(whole.relative_to(top) if top and inside else result.oracle), **where}
    properties = ",".join(
        f"{name}={_data(one_line(value)).replace(':', '%3A').replace(',', '%2C')}"
        for name, value in where.items()
    )
    return [
        f"::{level} {properties}::{_data(chr(10).join(lines))}" for level, lines in texts.items() if lines
    ]


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
