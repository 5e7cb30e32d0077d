"""What README and docs tell people to type works.

Pages are typed in an empty directory with an ``app.jar``, an ``app-2.jar`` that keeps twice as much, and the
repository's ``data``; ``tests/support/pages.py`` says which blocks are typed.
"""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

from tests.support.checkout import ROOT
from tests.support.pages import PAGES, README, fault_of, typed

RUNNING_PID = "4711"
MAIN = """
package com.acme;
import java.util.*;
public class Main {
    public static void main(String[] args) throws Exception {
        if (args[0].equals("serve")) Thread.sleep(600_000);
        List<byte[]> kept = new ArrayList<>();
        for (int round = 0; round < 10; round++, Thread.sleep(10))
            for (int page = 0; page < Integer.parseInt(args[1]); page++) kept.add(new byte[1024]);
        System.out.println(kept.size());
    }
}
"""


@pytest.fixture(scope="module")
def jars(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("app")
    for name, source in (("app.jar", MAIN), ("app-2.jar", MAIN.replace("byte[1024]", "byte[2048]"))):
        (place / "Main.java").write_text(source)
        subprocess.run(["javac", "-d", str(place), str(place / "Main.java")], check=True, timeout=300)
        with zipfile.ZipFile(place / name, "w") as jar:
            jar.write(place / "com/acme/Main.class", "com/acme/Main.class")
    return place


@pytest.fixture
def server(jars: Path) -> Iterator[int]:
    """The process id of a JVM that is already running."""
    command = ["java", "-cp", str(jars / "app.jar"), "com.acme.Main", "serve"]
    process = subprocess.Popen(command)
    try:
        yield process.pid
    finally:
        process.kill()
        process.wait(timeout=10)


@pytest.mark.jvm
@pytest.mark.timeout(1800)
@pytest.mark.parametrize(
    "page",
    [pytest.param(page, marks=() if page == README else pytest.mark.all) for page in PAGES if typed(page)],
    ids=lambda page: page.name,
)
def test_what_a_page_shows_works(page: Path, jars: Path, server: int, tmp_path: Path) -> None:
    buto = tmp_path / "bin" / "buto"
    buto.parent.mkdir()
    buto.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m buto "$@"\n')
    buto.chmod(0o755)
    path = f"{buto.parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "PYTHONPATH": str(ROOT)}
    number = count(1)

    def new_directory() -> Path:
        directory = tmp_path / f"typed-{next(number)}"
        directory.mkdir()
        for jar in jars.glob("*.jar"):
            (directory / jar.name).symlink_to(jar)
        (directory / "data").symlink_to(ROOT / "data")
        return directory

    def shell(line: str, directory: Path) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["bash", "-c", line.replace(RUNNING_PID, str(server))],
            cwd=directory,
            env=environment,
            capture_output=True,
            text=True,
            timeout=500,
            check=False,
        )

    fault = fault_of(typed(page), new_directory, shell)
    assert fault is None, str(fault)
