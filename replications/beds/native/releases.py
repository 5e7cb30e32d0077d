"""Executables from packages of npm, fetched by npm, and an input that is made by code."""

from __future__ import annotations

import json
import re
import subprocess
import tarfile
import tempfile
from pathlib import Path

from msgspec import Struct

from beds.artefacts import BedError

_FETCH_S = 300.0

_RELEASE = re.compile(r"\d+(\.\d+)*")
"""A release without a suffix such as ``-nightly``."""


class Native(Struct, frozen=True):
    """An executable of which each release is a package.

    Attributes:
        package: of npm.
        member: the executable's path in the package.
        arguments: that follow it; ``INPUT`` is the directory of inputs.
    """

    package: str
    member: str
    arguments: tuple[str, ...]

    def command(self, executable: Path, inputs: Path) -> list[str]:
        return [str(executable), *(each.replace("INPUT", str(inputs)) for each in self.arguments)]


NATIVES = {
    "closure": Native(
        "google-closure-compiler-linux",
        "package/compiler",
        ("--js", "INPUT/small.js", "--js_output_file", "/dev/null"),
    ),
    "esbuild": Native(
        "@esbuild/linux-x64",
        "package/bin/esbuild",
        ("INPUT/large.js", "--minify", "--log-level=error", "--outfile=/dev/null"),
    ),
    "oxlint": Native(
        "@oxlint/linux-x64-gnu",
        "package/oxlint",
        ("--threads=1", "INPUT/large.js"),
    ),
}


def releases(native: Native) -> list[str]:
    """Return all releases that npm lists, the oldest first. BedError if it cannot be asked."""
    listed = json.loads(_npm("view", native.package, "versions", "--json"))
    return sorted(filter(_RELEASE.fullmatch, listed), key=lambda name: [*map(int, name.split("."))])


def fetch(native: Native, release: str, place: Path) -> Path:
    """Fetch the executable of one release into a directory, unless it is there; return its path.

    Raises:
        BedError: npm does not have it, or it has no such executable.
    """
    executable = place / f"{native.package.replace('/', '-')}-{release}"
    if executable.exists():
        return executable
    place.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=place) as scratch:
        spec = f"{native.package}@{release}"
        _npm("pack", spec, "--silent", "--pack-destination", scratch)
        (archive,) = Path(scratch).glob("*.tgz")
        with tarfile.open(archive) as members:
            try:
                member = members.extractfile(native.member)
            except KeyError:
                member = None
            if member is None:
                raise BedError(f"{spec} has no {native.member}")
            unpacked = Path(scratch) / "executable"
            unpacked.write_bytes(member.read())
        unpacked.chmod(0o755)
        unpacked.rename(executable)
    return executable


def make_inputs(place: Path) -> Path:
    """Write the inputs, the same each time, into a directory; return it."""
    place.mkdir(parents=True, exist_ok=True)
    (place / "small.js").write_text(_script(20))
    (place / "large.js").write_text(_script(2000))
    return place


def _script(n: int) -> str:
    """Return a script of so many functions and what prints their sum."""
    functions = "\n".join(
        f"function f{k}(first, second) {{\n"
        f"  var total = {k};\n"
        f"  for (var place = 0; place < second; place++) {{ total += first * place + {k % 7}; }}\n"
        f"  return total > {k * 3} ? 'large' + total : [total, first, second].join(',');\n"
        f"}}\nresults.push(f{k}({k}, {k % 11}));"
        for k in range(n)
    )
    return f"var results = [];\n{functions}\nconsole.log(results.join(';'));\n"


def _npm(*arguments: str) -> str:
    try:
        done = subprocess.run(
            ["npm", *arguments], capture_output=True, text=True, timeout=_FETCH_S, check=False
        )
    except FileNotFoundError as error:
        raise BedError("npm was not found; install it") from error
    except subprocess.TimeoutExpired as error:
        raise BedError(f"npm {' '.join(arguments)} took more than {_FETCH_S:g} s") from error
    if done.returncode:
        raise BedError(f"npm {' '.join(arguments)} failed: {done.stderr.strip()[-500:]}")
    return done.stdout
