"""Beginning: look at a project, launch it once, and write a first configuration."""

from __future__ import annotations

import json
import os
import re
import threading
import time
import urllib.error
import zipfile
from collections.abc import Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from http.client import HTTPException
from pathlib import Path
from typing import Any

from buto.actions.events import OnEvent, Told, ignore
from buto.engine.launching import record_one
from buto.errors import MeasureError, StorageError, UsageError
from buto.measure.hooks import LaunchHooks, Program
from buto.measure.opener import open_collector
from buto.measure.output import last_lines
from buto.measure.private_directory import private_directory
from buto.measure.workload.model import STOPPED_EXIT
from buto.measure.workload.serving import OPENER
from buto.project import config
from buto.project.endpoints import Endpoint, actuator_endpoints, openapi_endpoints
from buto.project.first import Answered, Looked, configuration
from buto.project.layout import (
    BUILD_FILES,
    Jar,
    Listing,
    Proposal,
    Proposed,
    Server,
    has_testcontainers,
    proposed,
)
from buto.project.model import build_test
from buto.run.model import Problem, Run
from buto.run.store import RunStore
from buto.run.units import format_count, format_seconds

SHORT_S = 2.0
"""A program that ends sooner shows mostly how a JVM starts."""

_QUOTED = 5
"""Lines of a program that fails."""

NOISY_SHARE = 0.2
"""Of the cores, used by other programs; more makes runs unlike."""

_JARS = ("target/quarkus-app", "build/quarkus-app", "target", "build/libs")
_NOT_RUN = ("-sources.jar", "-javadoc.jar", "-plain.jar", "-tests.jar")
_SETTINGS = ("application.yml", "application.yaml", "application.properties")
_MOST_SOURCES, _MOST_BYTES = 2000, 1 << 20

JUNIT_HINT = (
    "tests of JUnit that start containers: add buto:buto-junit:0.1.0 (scope test) to the build, write "
    "@ButoTest in place of @Test, start the container in @BeforeEach, then: mvn test -Dbuto.train=true"
)


@dataclass(frozen=True, slots=True)
class Begun:
    """What was written, and what was seen.

    Attributes:
        path: of the configuration.
        seen: sentences about the project and the launch.
        to_do: what is missing, too short or too noisy, in sentences.
    """

    path: Path
    seen: tuple[str, ...]
    to_do: tuple[str, ...]


def listing_of(directory: Path) -> Listing:
    """Read what is needed of a directory; files that cannot be read are not there."""
    texts = {name: text for name in BUILD_FILES if (text := _text(directory / name)) is not None}
    for name in _SETTINGS:
        path = f"src/main/resources/{name}"
        if (text := _text(directory / path)) is not None:
            texts[path] = text
    sources = sorted(path for end in ("java", "kt") for path in directory.glob(f"src/main/**/*.{end}"))
    for source in sources[:_MOST_SOURCES]:
        texts[source.relative_to(directory).as_posix()] = _text(source) or ""
    found = [path for folder in _JARS for path in (directory / folder).glob("*.jar")]
    newest = sorted(found, key=lambda path: -path.stat().st_mtime)
    jars = {path.relative_to(directory).as_posix(): _jar(path) for path in newest}
    kept = {name: jar for name, jar in jars.items() if jar is not None and not name.endswith(_NOT_RUN)}
    return Listing(directory.resolve().name, texts, kept)


def begin(directory: Path, *, force: bool, launch: bool, on_event: OnEvent = ignore) -> Begun:
    """Write ``buto.yaml`` for the project in a directory.

    Args:
        force: whether to replace a configuration.
        launch: whether to launch the program once; else nothing is known of what it answers.

    Raises:
        UsageError: there is a configuration, nothing is known of the project, or it must be built first.
        MeasureError: its program cannot be launched.
        StorageError: the configuration, or a temporary directory, cannot be written.
    """
    path = directory / config.FILE_NAME
    # Before a launch that may take minutes.
    if path.is_dir():
        raise StorageError(f"{path} is a directory", advice=f"move it away: mv {path} {path}.old")
    if not os.access(directory, os.W_OK):
        raise _unwritable(path, "its directory is read-only")
    if path.exists() and not force:
        raise UsageError(f"{path} exists", advice="train with it, or replace it with --force")
    listing = listing_of(directory)
    proposal = proposed(listing)
    if proposal is None:
        raise UsageError(
            f"there is no pom.xml, build.gradle or jar in {directory.resolve()}",
            advice="go to the project's directory, or train with the command of your program",
        )
    if not proposal.tests:
        raise UsageError(
            f"this is {proposal.kind}, and there is no jar to launch in target or build/libs",
            advice=f"{proposal.missing}; then call this again",
        )
    looks = {test.name: Looked(others=test.server.endpoints) for test in proposal.tests if test.server}
    run: Run | None = None
    if launch:
        on_event(Told("", "launching the program once"))
        run, look = _launched(directory, proposal.tests[0])
        looks |= {proposal.tests[0].name: look} if look else {}
    try:
        path.write_text(configuration(proposal, looks), encoding="utf-8")
    except OSError as error:
        raise _unwritable(path, str(error.strerror)) from error
    config.load(path)
    seen, to_do = _said(proposal, looks, run)
    return Begun(path, seen, (*to_do, *([JUNIT_HINT] if has_testcontainers(listing) else [])))


def _unwritable(path: Path, why: str) -> StorageError:
    return StorageError(f"{path} cannot be written: {why}", advice="make its directory writable")


def _launched(directory: Path, test: Proposed) -> tuple[Run, Looked | None]:
    server = test.server
    environment = {**server.environment, **server.looking} if server else {}
    written = {"command": list(test.command), "environment": environment, "timeout": "3min"}
    target = build_test(test.name, written, directory.resolve(), os.environ).target
    looking = None
    if server is not None:
        target = replace(target, expected_exit=STOPPED_EXIT)
        looking = _Looking(server)
    with private_directory() as aside, open_collector(target) as collector:
        run = record_one(collector, test.name, RunStore(aside), {}, hooks=looking)
    code = run.outcome.exit_code
    if code != target.expected_exit:
        raise MeasureError(
            f"the program {run.outcome.describe()}\n{last_lines(run.stderr or run.stdout, _QUOTED)}",
            advice="see that it starts with this command, or give --no-launch",
        )
    return run, looking.found if looking else None


class _Looking(LaunchHooks):
    """Hooks that ask a server what it has, in a thread of their own, and stop it.

    Attributes:
        found: what it answered.
    """

    def __init__(self, server: Server) -> None:
        self._server = server
        self._stop = threading.Event()
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="buto-look")
        self._done: Future[Looked] | None = None
        self._before: dict[str, list[int]] = {}
        self.found = Looked(others=server.endpoints)

    def program_started(self, program: Program) -> None:
        self._done = self._thread.submit(self._look, program)

    def program_ended(self) -> tuple[Problem, ...]:
        self._stop.set()
        assert self._done is not None
        self.found = self._done.result()
        self._thread.shutdown()
        return ()

    def _look(self, program: Program) -> Looked:
        began = time.monotonic()
        try:
            while not self._stop.wait(_PAUSE_S):
                for port in program.ports():
                    looked = self._at(f"http://127.0.0.1:{port}", port)
                    if looked is not None:
                        return replace(looked, ready_s=time.monotonic() - began)
                if time.monotonic() - began > _LONGEST_S:
                    break
            return self.found
        finally:
            program.stop()

    def _at(self, url: str, port: int) -> Looked | None:
        """Return what a port answers; None if it is not ready yet, or is another port of the program."""
        paths = self._server.ready
        ready = next((path for path in paths if _asked(url + path)[0] == _GOOD), "")
        if paths and not ready:
            return None
        found = self._server.endpoints
        for path in self._server.mappings:
            status, content = _asked(url + path)
            data = _json(content) if status == _GOOD else None
            found = found or openapi_endpoints(data) or actuator_endpoints(data)
        before = self._server.before
        placed = [replace(one, path=before + one.path) for one in found]
        answered = tuple(_answered(url, one) for one in placed if one.method == "GET")
        good = next((one.endpoint.filled(one.values) for one in answered if one.is_good), "")
        if not paths:
            statuses = [one.status for one in answered]
            if not any(statuses):
                statuses = [_asked(f"{url}/")[0]]
            if not self._may_be_ready(url, statuses, bool(good)):
                return None
        others = tuple(one for one in placed if one.method != "GET")
        return Looked(port, ready or good, 0.0, answered, others)

    def _may_be_ready(self, url: str, statuses: list[int], is_good: bool) -> bool:
        """Return whether a server that does not tell is ready: one that is not may answer so for a while."""
        before, self._before[url] = self._before.get(url), statuses
        return any(statuses) and (_UNAVAILABLE not in statuses or (is_good and statuses == before))


_PAUSE_S, _LONGEST_S, _ANSWER_S = 0.2, 120.0, 10.0
_GOOD, _UNAVAILABLE = 200, 503
_TRIED = ("1", "a")
_MOST_NUMBERS = 20


def _answered(url: str, endpoint: Endpoint) -> Answered:
    """Ask an endpoint with the values that it may know, until it answers well."""
    tried = []
    for value in _TRIED if endpoint.variables else _TRIED[:1]:
        values = dict.fromkeys(endpoint.variables, value)
        one = Answered(endpoint, _asked(url + endpoint.filled(values))[0], values)
        if one.is_good:
            # Of several variables, only this combination is known to exist.
            is_counted = len(values) == 1 and value == _TRIED[0]
            return replace(one, last=_last(url, endpoint)) if is_counted else one
        tried.append(one)
    return tried[0]


def _last(url: str, endpoint: Endpoint) -> int:
    """Return the last of the numbers from 1 on that are answered well."""
    for number in range(2, _MOST_NUMBERS + 1):
        path = endpoint.filled(dict.fromkeys(endpoint.variables, str(number)))
        if _asked(url + path)[0] != _GOOD:
            return number - 1
    return _MOST_NUMBERS


def _asked(url: str) -> tuple[int, bytes]:
    """Return status and content of an answer; 0 without a whole one in time, as of an endless stream."""
    limit = time.monotonic() + _ANSWER_S
    try:
        with OPENER.open(url, timeout=_ANSWER_S) as answer:
            content = b""
            while part := answer.read1(_MOST_BYTES):
                content += part
                if time.monotonic() > limit:
                    return 0, b""
            return answer.status, content
    except urllib.error.HTTPError as error:
        error.close()
        return error.code, b""
    except (OSError, ValueError, HTTPException):
        # The port may speak another protocol, or the path may be none.
        return 0, b""


def _json(content: bytes) -> Any:
    try:
        return json.loads(content)
    except ValueError:
        return None


def _said(
    proposal: Proposal, looks: Mapping[str, Looked], run: Run | None
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    seen = [f"{proposal.kind}: {' '.join(proposal.tests[0].command)}"]
    if len(proposal.tests) > 1:
        seen.append(f"{format_count(len(proposal.tests), 'test')}, one for each benchmark")
    to_do: list[str] = []
    look = looks.get(proposal.tests[0].name)
    if run is None:
        to_do.append("it was not launched: see that command, port, ready and requests are right")
    elif look is not None and not look.port:
        to_do.append("it did not answer within two minutes: fill in port and ready")
    elif look is not None:
        seen.append(
            f"it answered at port {look.port} after {format_seconds(look.ready_s)}; "
            f"{format_count(len(look.good), 'endpoint')} answered well"
        )
    elif run.outcome.duration_s < SHORT_S:
        took = format_seconds(run.outcome.duration_s)
        to_do.append(
            f"it ended after {took}, which is mostly the JVM's start: give it more work, 3 s or more"
        )
    if look is not None and not look.good:
        to_do.append("no endpoint is known that answers: fill in the requests")
    n_bad = 0 if look is None else len(look.answered) - len(look.good)
    if n_bad:
        to_do.append(
            f"{format_count(n_bad, 'endpoint')} did not answer well, and became comments: fill in values"
        )
    if look is not None and look.others:
        n_others = format_count(len(look.others), "endpoint")
        to_do.append(f"{n_others} may change data, and became comments: fill in bodies")
    foreign = run.metadata.get("host.load.foreign") if run is not None else None
    if isinstance(foreign, float) and foreign > NOISY_SHARE:
        to_do.append(f"other programs used {foreign:.0%} of the cores: train when the machine is quiet")
    return tuple(seen), tuple(to_do)


def _text(path: Path) -> str | None:
    try:
        if not path.is_file() or path.stat().st_size > _MOST_BYTES:
            return None
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None


def _jar(path: Path) -> Jar | None:
    """Return what a jar says of itself; None if it cannot be read."""
    try:
        with zipfile.ZipFile(path) as archive:
            names = set(archive.namelist())
            manifest = archive.read(_MANIFEST).decode(errors="replace") if _MANIFEST in names else ""
            listed = archive.read(_BENCHMARKS).decode(errors="replace") if _BENCHMARKS in names else ""
    except (OSError, zipfile.BadZipFile):
        return None
    return Jar(dict(_attributes(manifest)), tuple(_benchmarks(listed)))


_MANIFEST, _BENCHMARKS = "META-INF/MANIFEST.MF", "META-INF/BenchmarkList"


def _attributes(manifest: str) -> Iterator[tuple[str, str]]:
    # A long line goes on in the next one, after a blank.
    for line in manifest.replace("\r\n", "\n").replace("\n ", "").splitlines():
        key, colon, value = line.partition(": ")
        if colon:
            yield key, value.strip()


_BENCHMARK = re.compile(r"^JMH S \d+ (\S+) S \d+ \S+ S \d+ (\S+) ", re.MULTILINE)
"""A line of the list: class, generated class and method, each after the length of its name."""


def _benchmarks(listed: str) -> list[str]:
    return list(dict.fromkeys(f"{name}.{method}" for name, method in _BENCHMARK.findall(listed)))
