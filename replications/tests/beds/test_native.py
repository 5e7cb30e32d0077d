"""Native executables: what moved from one release to the next, and what a package must have."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from beds.artefacts import BedError
from beds.native import probe, releases
from beds.native.releases import Native

KIB = 1024


def make_launches(*resident: float, faults: float = 1000.0) -> list[dict[str, float]]:
    return [{"resident_kib": kib, "minor_faults": faults} for kib in resident]


@pytest.mark.parametrize(
    ("before", "after", "kind"),
    [
        (make_launches(100, 101, 102), make_launches(104, 105, 106), "stayed"),
        (make_launches(100, 101, 102), make_launches(107, 108, 109), "moved"),
        (make_launches(100, 101, 120), make_launches(107, 108, 109), "between"),
        (make_launches(100, 101, 102), make_launches(100, 101, 102, faults=900.0), "moved"),
    ],
)
def test_a_release_moved_if_all_its_launches_lie_beyond_those_before(
    before: list[dict[str, float]], after: list[dict[str, float]], kind: str
) -> None:
    assert probe.kind(probe.moves(before, after)) == kind


COUNTS = """
import json, sys
from beds.native.probe import count

for size in (1, 512 << 20):
    counted = count([sys.executable, "-S", "-c", f"kept = b'x' * {size}; raise SystemExit(3)"])
    print(json.dumps([counted.exit, counted.resident_kib, counted.minor_faults]))
"""


def test_a_launch_is_counted_from_outside() -> None:
    # In a process of its own: what launches a command has its own memory in the command's peak.
    counted = subprocess.run([sys.executable, "-c", COUNTS], capture_output=True, text=True, check=False)
    assert counted.returncode == 0, counted.stderr
    small, large = map(json.loads, counted.stdout.splitlines())
    assert (small[0], large[0]) == (3, 3)
    assert small[1] < 256 * KIB < 512 * KIB < large[1]
    assert 0 < small[2] < large[2]


WHEEL = Native("tool", "tool-RELEASE.data/scripts/tool", (), is_wheel=True)
PACKED = Native("@tools/tool", "package/tool", ())


def pack(place: Path, native: Native, member: str) -> None:
    if native.is_wheel:
        with zipfile.ZipFile(place / "tool-1.0-any.whl", "w") as wheel:
            wheel.writestr(member, "#!/bin/sh\nexit 0\n")
        return
    (place / "tool").write_text("#!/bin/sh\nexit 0\n")
    with tarfile.open(place / "tools-tool-1.0.tgz", "w:gz") as archive:
        archive.add(place / "tool", member)


def serve(monkeypatch: pytest.MonkeyPatch, native: Native, member: str) -> None:
    """Put an archive where npm or pip would have put it."""
    monkeypatch.setattr(releases, "_npm", lambda *words: pack(Path(words[-1]), native, member))
    monkeypatch.setattr(releases, "_pip", lambda *words: pack(Path(words[-1]), native, member))


@pytest.mark.parametrize(
    ("native", "member"), [(WHEEL, "tool-1.0.data/scripts/tool"), (PACKED, "package/tool")]
)
def test_an_executable_is_taken_out_of_its_package_once(
    native: Native, member: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    serve(monkeypatch, native, member)
    executable = releases.fetch(native, "1.0", tmp_path)
    assert os.access(executable, os.X_OK)
    assert probe.count([str(executable)]).exit == 0
    monkeypatch.setattr(releases, "_unpack", None)
    assert releases.fetch(native, "1.0", tmp_path) == executable


@pytest.mark.parametrize("native", [WHEEL, PACKED])
def test_a_package_without_the_executable_is_an_error(
    native: Native, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    serve(monkeypatch, native, "something/else")
    with pytest.raises(BedError):
        releases.fetch(native, "1.0", tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_releases_are_in_the_order_of_their_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    listed = "tool (0.10.0)\nAvailable versions: 0.10.0, 0.9.1, 0.9.0, 0.9.0rc1\n"
    monkeypatch.setattr(releases, "_pip", lambda *words: listed)
    assert releases.releases(WHEEL) == ["0.9.0", "0.9.1", "0.10.0"]
