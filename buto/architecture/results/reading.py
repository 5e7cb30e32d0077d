"""Results of component tests from files, whatever tool wrote them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from buto.architecture.results.jmh import read_jmh
from buto.architecture.results.junit import read_junit
from buto.architecture.results.model import ComponentResult, merged
from buto.architecture.results.stored_runs import read_runs
from buto.architecture.results.traced import read_traced
from buto.architecture.traces.reading import is_traces
from buto.errors import BadFileError
from buto.runs.files.reading import read_file

_MAX_BYTES = 256 << 20


def read_results(paths: Sequence[Path]) -> tuple[ComponentResult, ...]:
    """Read one side's results; results of the same test in several files are combined.

    JMH's JSON, JUnit XML, traces and directories of stored runs are distinguished by their contents.

    Raises:
        BadFileError: a file is missing, damaged, or of an unknown kind.
    """
    return merged(result for path in paths for result in _read(path))


def _read(path: Path) -> tuple[ComponentResult, ...]:
    if is_traces(path):
        return read_traced(path)
    if path.is_dir():
        return read_runs(path)
    try:
        text = read_file(path, _MAX_BYTES, follow=True).decode("utf-8-sig")
    except ValueError as error:
        reason = "it is not UTF-8" if isinstance(error, UnicodeDecodeError) else error
        raise BadFileError(f"cannot read the results {path}: {reason}") from error
    match text.lstrip()[:1]:
        case "[":
            return read_jmh(text, path)
        case "<":
            return read_junit(text, path)
        case _:
            raise BadFileError(
                f"{path} must be JSON of JMH, JUnit XML, traces or a directory of stored runs, and is none"
                " of them",
                advice="java -jar benchmarks.jar -rf json -rff result.json",
            )
