"""Results of component tests from files, whatever tool wrote them."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path

from buto.errors import BadFileError
from buto.runs.files.reading import read_file
from buto_predict.listing import listed
from buto_predict.results.files import distinct, is_stored_runs
from buto_predict.results.jmh import read_jmh
from buto_predict.results.junit import read_junit
from buto_predict.results.model import ComponentResult, merged
from buto_predict.results.stored_runs import read_runs
from buto_predict.results.traced import read_traced
from buto_predict.traces.reading import is_traces

_MAX_BYTES = 256 << 20
_GZIP = b"\x1f\x8b"


def read_results(paths: Sequence[Path]) -> tuple[ComponentResult, ...]:
    """Read one side's results; results of the same test in several files are combined.

    JMH's JSON, JUnit XML, traces and directories of stored runs are distinguished by their contents. A file
    that is given several times counts once; another directory stands for its files.

    Raises:
        BadFileError: a file is missing, damaged, or of an unknown kind, or all of them have no results.
    """
    results = merged(result for path in distinct(paths) for result in _read(path))
    if not results:
        raise BadFileError(
            f"{listed(map(str, paths))} must have results, got none; were all tests skipped?",
            advice="run the component tests again",
        )
    return results


def _read(path: Path) -> tuple[ComponentResult, ...]:
    if is_traces(path):
        return read_traced(path)
    if path.is_dir():
        if is_stored_runs(path):
            return read_runs(path)
        raise BadFileError(
            f"{path} is not a directory of stored runs, and has no *.json or *.xml",
            advice=f"name the files, such as {path}/*/*.xml, or runs, such as .buto/runs/NAME",
        )
    text = _text(path)
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


def _text(path: Path) -> str:
    try:
        content = read_file(path, _MAX_BYTES, follow=True)
    except ValueError as error:
        quoted = "*" in path.name and not path.exists()
        raise BadFileError(
            f"cannot read the results {path}: {error}",
            advice="the shell expands * only outside of quotes, and only if files match" if quoted else None,
        ) from error
    if content.startswith(_GZIP):
        raise BadFileError(
            f"{path} is compressed; decompress it first", advice=f"gunzip --keep {shlex.quote(str(path))}"
        )
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadFileError(f"cannot read the results {path}: it is not UTF-8") from error
