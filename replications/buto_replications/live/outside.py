"""Twenty changes from outside: the program stays as it is, and something that it reads becomes another.

Each moves an exact counter by more than its size that matters. No argument of the program names what it
reads, so that no file of these belongs to the program that buto keeps.
"""

from __future__ import annotations

import os
import random
import shutil
import socketserver
import threading
import time
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from buto_replications.live.artefacts import compile_java, pack_jar
from buto_replications.live.calls import ButoCommand, EqualTrial, call
from buto_replications.live.journal import TRAIN, CommandEntry
from buto_replications.live.ways import write_configuration

Files = Callable[[Path], None]
"""Writes or changes files in the directory of the program."""

_OPTIONS = ("-Xmx256m", "-XX:+UseSerialGC")
HOME = "{home}"
"""In variables, stands for the directory of the project."""

_FEW, _MANY = 20, 600
"""Blocks of 16 KiB that the program keeps."""


def _nothing(directory: Path) -> None:
    pass


@dataclass(frozen=True, slots=True)
class OutsideSurroundings:
    """What is typed around the command, and who answers beside it.

    Attributes:
        variables: of the shell.
        test: more keys of the test in ``buto.yaml``.
        before: words before buto.
        rows: of the answer of a server beside; 0 for none.
    """

    variables: Mapping[str, str] = field(default_factory=dict)
    test: Mapping[str, Any] = field(default_factory=dict)
    before: tuple[str, ...] = ()
    rows: int = 0


@dataclass(frozen=True, slots=True)
class OutsideChange:
    """A change from outside.

    Attributes:
        mode: what the program reads, see ``java/outside``.
        words: an answer with one of them names the change.
        prepare: writes what the program reads in training.
        change: makes it another.
        training, check: what is around the command.
    """

    mode: str
    words: tuple[str, ...]
    prepare: Files = _nothing
    change: Files = _nothing
    training: OutsideSurroundings = OutsideSurroundings()
    check: OutsideSurroundings = OutsideSurroundings()


def carry_out(trial: EqualTrial, directory: Path, cache: Path) -> Iterator[CommandEntry]:
    """Train in a new directory, make the change, check; yield both entries.

    Raises:
        MeasureError: the program cannot be compiled.
    """
    change = CHANGES[trial.subject]
    shutil.rmtree(directory, ignore_errors=True)
    home = directory / "project"
    home.mkdir(parents=True)
    pack_jar(compile_java("outside", cache), home / "outside.jar", "Main-Class: live.outside.Outside\n")
    change.prepare(home)
    trained = _call(trial, change, change.training, TRAIN, home)
    yield trained
    if not trained.exit_code:
        change.change(home)
        yield _call(trial, change, change.check, "check", home)


def _call(
    trial: EqualTrial, change: OutsideChange, around: OutsideSurroundings, action: str, home: Path
) -> CommandEntry:
    jar = str(home.absolute() / "outside.jar")
    variables = {name: value.replace(HOME, str(home.absolute())) for name, value in around.variables.items()}
    write_configuration(home, {"command": ["java", *_OPTIONS, "-jar", jar, change.mode], **around.test})
    wanted = ButoCommand(action, variables=variables, before=around.before)
    with _server(around.rows, home):
        return call(trial, wanted, home, None if action == TRAIN else change.words)


@contextmanager
def _server(rows: int, home: Path) -> Iterator[None]:
    """Answer each connection with rows, as a database would; the program finds the port in a file."""
    if not rows:
        yield
        return
    answer = "".join(f"{number};customer {number};{number * 7 % 1000}\n" for number in range(rows)).encode()

    class RowsHandler(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            self.request.sendall(answer)

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), RowsHandler) as server:
        (home / "port").write_text(f"{server.server_address[1]:05}\n")
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield
        finally:
            server.shutdown()
            thread.join()


def _lines(place: str, number: int) -> Files:
    def write(home: Path) -> None:
        source, path = random.Random(7), home / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(f"{row};{source.randrange(10**9)};of a customer\n" for row in range(number)))

    return write


def _files(place: str, number: int) -> Files:
    def write(home: Path) -> None:
        for file in range(number):
            _lines(f"{place}/{file:04}.csv", 400)(home)

    return write


def _text(place: str, text: str) -> Files:
    def write(home: Path) -> None:
        path = home / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")

    return write


def _link(place: str, target: str) -> Files:
    def link(home: Path) -> None:
        path = home / place
        path.unlink(missing_ok=True)
        path.symlink_to(target)

    return link


def _archive(entries: int) -> Files:
    def write(home: Path) -> None:
        path = home / "data" / "archive.zip"
        path.parent.mkdir(parents=True, exist_ok=True)
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for entry in range(entries):
                archive.writestr(zipfile.ZipInfo(f"{entry:04}.txt"), f"{entry} of them\n" * 1000)

    return write


def _fresh_cache(home: Path) -> None:
    _lines("data/input.csv", 1000)(home)
    _lines("cache/index", 1000)(home)
    an_hour_ago = time.time() - 3600
    os.utime(home / "data" / "input.csv", (an_hour_ago, an_hour_ago))


def _touch_source(home: Path) -> None:
    os.utime(home / "data" / "input.csv")


def _remove_cache(home: Path) -> None:
    (home / "cache" / "index").unlink()


def _both(*steps: Files) -> Files:
    def carry_out_all(home: Path) -> None:
        for step in steps:
            step(home)

    return carry_out_all


def _variable(name: str, value: object) -> OutsideSurroundings:
    return OutsideSurroundings(variables={name: str(value)})


def _declare(**test: Any) -> OutsideSurroundings:
    return OutsideSurroundings(test=test)


_PATH = os.environ.get("PATH", "/usr/bin:/bin")
_LONG_PATH = ":".join([_PATH, *(f"/opt/tool{number}/bin" for number in range(30))])
_UMLAUTS = "Straßen und Plätze, Größe und Maß. " * 20_000

CHANGES: dict[str, OutsideChange] = {
    "a data file grew": OutsideChange(
        "file", ("input.csv",), _lines("data/input.csv", 1000), _lines("data/input.csv", 60_000)
    ),
    "a file outside the project grew": OutsideChange(
        "neighbour",
        ("reference.csv",),
        _lines("../shared/reference.csv", 1000),
        _lines("../shared/reference.csv", 60_000),
    ),
    "a variable in buto.yaml": OutsideChange(
        "variable",
        ("CACHE_SIZE",),
        training=_declare(environment={"CACHE_SIZE": str(_FEW)}),
        check=_declare(environment={"CACHE_SIZE": str(_MANY)}),
    ),
    "a variable of the shell": OutsideChange(
        "variable",
        ("CACHE_SIZE",),
        training=_variable("CACHE_SIZE", _FEW),
        check=_variable("CACHE_SIZE", _MANY),
    ),
    "options in JAVA_TOOL_OPTIONS": OutsideChange(
        "property",
        ("cache.size", "JAVA_TOOL_OPTIONS"),
        training=_variable("JAVA_TOOL_OPTIONS", f"-Dcache.size={_FEW}"),
        check=_variable("JAVA_TOOL_OPTIONS", f"-Dcache.size={_MANY}"),
    ),
    "another working directory": OutsideChange(
        "file",
        ("working-directory", "south"),
        _both(_lines("north/data/input.csv", 1000), _lines("south/data/input.csv", 60_000)),
        training=_declare(**{"working-directory": "north"}),
        check=_declare(**{"working-directory": "south"}),
    ),
    "a directory with more files": OutsideChange(
        "directory", ("plugins",), _files("plugins", 10), _files("plugins", 300)
    ),
    "a link with another target": OutsideChange(
        "link",
        ("current.csv", "second.csv"),
        _both(
            _lines("data/first.csv", 1000),
            _lines("data/second.csv", 60_000),
            _link("current.csv", "data/first.csv"),
        ),
        _link("current.csv", "data/second.csv"),
    ),
    "a linked directory with another target": OutsideChange(
        "linked-directory",
        ("release",),
        _both(_files("releases/1", 10), _files("releases/2", 300), _link("release", "releases/1")),
        _link("release", "releases/2"),
    ),
    "a properties file": OutsideChange(
        "properties",
        ("app.properties",),
        _text("conf/app.properties", f"cache.size={_FEW}\n"),
        _text("conf/app.properties", f"cache.size={_MANY}\n"),
    ),
    "a properties file that was not there": OutsideChange(
        "include", ("local.properties",), change=_text("conf/local.properties", f"cache.size={_MANY}\n")
    ),
    "a hidden file with settings": OutsideChange(
        "dotenv", (".env",), _text(".env", f"cache.size={_FEW}\n"), _text(".env", f"cache.size={_MANY}\n")
    ),
    "an archive with more entries": OutsideChange("archive", ("archive.zip",), _archive(10), _archive(600)),
    "a cache that is gone": OutsideChange("cache", ("index",), _fresh_cache, _remove_cache),
    "a source newer than its cache": OutsideChange("cache", ("input.csv",), _fresh_cache, _touch_source),
    "time zone": OutsideChange(
        "zone", ("TZ", "zone"), training=_variable("TZ", "UTC"), check=_variable("TZ", "America/New_York")
    ),
    "locale": OutsideChange(
        "charset",
        ("LANG", "locale"),
        _text("data/text.txt", _UMLAUTS + "€"),
        training=OutsideSurroundings(variables={"LANG": "C"}),
        check=OutsideSurroundings(variables={"LANG": "C.UTF-8"}),
    ),
    "home directory": OutsideChange(
        "home",
        ("HOME",),
        _both(_files("homes/first/.app", 10), _files("homes/second/.app", 300)),
        training=_variable("HOME", f"{HOME}/homes/first"),
        check=_variable("HOME", f"{HOME}/homes/second"),
    ),
    "search path": OutsideChange(
        "path", ("PATH",), training=_variable("PATH", _PATH), check=_variable("PATH", _LONG_PATH)
    ),
    "a server beside with more rows": OutsideChange(
        "server",
        ("port", "both"),
        training=OutsideSurroundings(rows=500),
        check=OutsideSurroundings(rows=60_000),
    ),
}
"""By what a table calls them."""
