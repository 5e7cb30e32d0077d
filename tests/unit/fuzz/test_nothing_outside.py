"""A store that a stranger has filled with links and names that lead out: nothing is opened outside of it.

What buto and all that it starts ask the system for is traced.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.checkout import ROOT
from tests.support.rarely import mark_all_but
from tests.support.runs.stored import leaking_run, store

CHILD = """
import sys
from buto.cli.main import main
for words in CALLS:
    main(words)
"""

CALLS = [
    ["runs", "list"],
    ["runs", "show", "leaker"],
    ["history", "leaker"],
    ["label", "leaker", "last", "good"],
    ["runs", "delete", "leaker", "--ids", "x"],
    ["runs", "recover"],
    ["train", "leaker", "--from-runs", "all", "--", "java", "Main"],
    ["check", "leaker", "--from-runs", "all"],
    ["init", "--no-launch", "--force"],
]


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed")
@pytest.mark.parametrize(
    "linked",
    mark_all_but(
        ("runs/leaker", "results", "labels/leaker", "buto.yaml", "none"),
        [
            *("runs", "runs/leaker", "results", "results/leaker"),
            *("labels", "labels/leaker", "cache", "cache/runs"),
            *("programs", "programs/manifests", "programs/blobs", "profiles", "builds", "buto.yaml", "none"),
        ],
    ),
)
def test_nothing_outside_is_opened_for_writing(tmp_path: Path, linked: str) -> None:
    project, elsewhere = tmp_path / "project", tmp_path / "elsewhere"
    project.mkdir()
    elsewhere.mkdir()
    store(project, *(leaking_run(number) for number in range(10)))
    place = project / ".buto" / linked
    if linked == "buto.yaml":
        (project / "buto.yaml").symlink_to(elsewhere / "buto.yaml")
    elif linked != "none":
        if place.exists():
            place.rename(elsewhere / "moved")
        else:
            (elsewhere / "moved").mkdir()
            place.parent.mkdir(parents=True, exist_ok=True)
        place.symlink_to(elsewhere / "moved")
    before = {path: path.lstat().st_mtime_ns for path in elsewhere.rglob("*")}
    trace = tmp_path / "trace"
    done = subprocess.run(
        [
            *("strace", "-f", "-y", "-qq", "-s", "4096", "-e", "trace=%file", "-o", str(trace)),
            *(sys.executable, "-c", CHILD.replace("CALLS", repr(CALLS))),
        ],
        cwd=project,
        env={**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert {path: path.lstat().st_mtime_ns for path in elsewhere.rglob("*")} == before
    written = list(changes(trace.read_text(errors="replace"), project))
    assert [path for path in written if not _is_inside(path, project, tmp_path)] == []
    if linked == "none":
        assert any(path.startswith(f"{project}/.buto/labels") for path in written), "what is written is seen"


_OPENED = re.compile(
    r"(?:open|openat|openat2|creat)\((?P<asked>.*)\) = (?P<descriptor>\d+)<(?P<path>.*)>(?: \(deleted\))?"
)
_CHANGED = re.compile(
    r"(?:mkdir|rename|unlink|rmdir|symlink|link|truncate|f?ch(?:mod|own)|utime)\w*\((.*)\) = 0"
)
_NAMED = re.compile(r'(?:(?:AT_FDCWD|\d+)<(?P<within>[^>]*)>, )?"(?P<path>[^"]*)"')
_OWN = re.compile(r"^/proc/self/fd/(?P<descriptor>\d+)")
_WRITES = ("O_WRONLY", "O_RDWR", "O_CREAT", "O_TRUNC")


def changes(trace: str, directory: Path) -> Iterator[str]:
    """Yield the paths that were opened for writing, made, moved, removed or changed, by a trace of strace.

    Args:
        directory: of the traced program, for the paths that are relative to none.
    """
    descriptors: dict[str, str] = {}
    for line in trace.splitlines():
        opened, changed = _OPENED.search(line), _CHANGED.search(line)
        if opened:
            descriptors[opened["descriptor"]] = opened["path"]
        if opened and ("creat(" in line or any(flag in opened["asked"] for flag in _WRITES)):
            yield opened["path"]
        elif changed:
            for named in _NAMED.finditer(changed[1]):
                # The descriptors are those of the traced program, not those of this one.
                place = _OWN.sub(lambda own: descriptors[own["descriptor"]], named["path"])
                path = Path(named["within"] or directory, place)
                yield f"{path.parent.resolve()}/{path.name}"


def test_a_trace_is_read() -> None:
    trace = """\
7 openat(AT_FDCWD</a>, "b", O_RDONLY|O_CLOEXEC) = 3</a/b>
7 openat(AT_FDCWD</a>, "c", O_WRONLY|O_CREAT|O_CLOEXEC, 0666) = 3</real/c>
7 openat(4</a>, "d", O_WRONLY|O_NOFOLLOW) = -1 ELOOP (Too many levels of symbolic links)
7 mkdirat(4</nowhere>, "e", 0700) = 0
7 rename("f", "/nowhere/g") = 0
7 rename("/proc/self/fd/3/x", "y") = 0
7 unlinkat(4</nowhere>, "h", 0) = -1 ENOENT (No such file or directory)
7 newfstatat(4</nowhere>, "i", {st_mode=S_IFREG}, 0) = 0
"""
    assert list(changes(trace, Path("/nowhere"))) == [
        "/real/c",
        "/nowhere/e",
        "/nowhere/f",
        "/nowhere/g",
        "/real/c/x",
        "/nowhere/y",
    ]


def _is_inside(path: str, project: Path, temporary: Path) -> bool:
    """Return whether a path is below the project, or a file of buto's own among the temporary ones."""
    is_temporary = path.startswith(f"{temporary}/") and not path.startswith(f"{temporary}/elsewhere")
    return path.startswith((f"{project}/", "/dev/null")) or is_temporary
