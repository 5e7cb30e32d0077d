"""Executables from packages of npm and PyPI, fetched by npm and pip, and inputs that are made by code."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

from msgspec import Struct

from beds.artefacts import BedError

_FETCH_S = 300.0

_RELEASE = re.compile(r"\d+(\.\d+)*")
"""A release without a suffix such as ``-nightly``."""

_LISTED = re.compile("Available versions: ")


class Native(Struct, frozen=True):
    """An executable of which each release is a package.

    Attributes:
        package: of npm, or of PyPI where ``is_wheel``.
        member: the executable's path in the package; ``RELEASE`` is that of the package.
        arguments: that follow it; ``INPUT`` is the directory of inputs.
    """

    package: str
    member: str
    arguments: tuple[str, ...]
    is_wheel: bool = False

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
    "ruff-check": Native(
        "ruff",
        "ruff-RELEASE.data/scripts/ruff",
        ("check", "--isolated", "--no-cache", "--exit-zero", "--quiet", "INPUT/large.py"),
        is_wheel=True,
    ),
    "ruff-format": Native(
        "ruff",
        "ruff-RELEASE.data/scripts/ruff",
        ("format", "--isolated", "--no-cache", "--check", "--quiet", "INPUT/large.py"),
        is_wheel=True,
    ),
}


def releases(native: Native) -> list[str]:
    """Return all releases that are listed, the oldest first. BedError if npm or pip cannot be asked."""
    if native.is_wheel:
        line = next(filter(_LISTED.match, _pip("index", "versions", native.package).splitlines()), "")
        listed = _LISTED.sub("", line).split(", ")
    else:
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
        unpacked = Path(scratch) / "executable"
        _unpack(native, release, unpacked)
        unpacked.chmod(0o755)
        unpacked.rename(executable)
    return executable


def _unpack(native: Native, release: str, to: Path) -> None:
    """Write the executable of one release to a file. BedError if the package has none.

    In parts: the kernel counts the memory of whoever launches a small program as the program's own.
    """
    member = native.member.replace("RELEASE", release)
    try:
        if native.is_wheel:
            _pip("download", f"{native.package}=={release}", "--no-deps", "--quiet", "--dest", str(to.parent))
            (wheel,) = to.parent.glob("*.whl")
            with zipfile.ZipFile(wheel) as members, members.open(member) as source, to.open("wb") as target:
                shutil.copyfileobj(source, target)
            return
        _npm("pack", f"{native.package}@{release}", "--silent", "--pack-destination", str(to.parent))
        (archive,) = to.parent.glob("*.tgz")
        with tarfile.open(archive) as packed:
            file = packed.extractfile(member)
            if file is None:
                raise BedError(f"{native.package} {release} has no file {member}")
            with file, to.open("wb") as target:
                shutil.copyfileobj(file, target)
    except KeyError as error:
        raise BedError(f"{native.package} {release} has no {member}") from error


def make_inputs(place: Path) -> Path:
    """Write the inputs, the same each time, into a directory; return it."""
    place.mkdir(parents=True, exist_ok=True)
    (place / "small.js").write_text(_script(20))
    (place / "large.js").write_text(_script(2000))
    (place / "large.py").write_text(_module(2000))
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


def _module(n: int) -> str:
    """Return a module of Python of so many functions, formatted."""
    functions = "\n\n\n".join(
        f"def f{k}(first, second):\n"
        f"    total = {k}\n"
        f"    for place in range(second):\n"
        f"        total += first * place + {k % 7}\n"
        f'    return f"large{{total}}" if total > {k * 3} else (total, first, second)'
        for k in range(n)
    )
    return f"{functions}\n"


def _npm(*arguments: str) -> str:
    return _run("npm", *arguments)


def _pip(*arguments: str) -> str:
    return _run(sys.executable, "-m", "pip", *arguments)


def _run(*command: str) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_FETCH_S, check=False)
    except FileNotFoundError as error:
        raise BedError(f"{command[0]} was not found; install it") from error
    except subprocess.TimeoutExpired as error:
        raise BedError(f"{' '.join(command)} took more than {_FETCH_S:g} s") from error
    if done.returncode:
        raise BedError(f"{' '.join(command)} failed: {done.stderr.strip()[-500:]}")
    return done.stdout
