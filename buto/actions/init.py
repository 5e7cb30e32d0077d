"""Beginning: look at a project, launch it once, and write a first configuration."""

from __future__ import annotations

import os
import re
import shlex
import threading
import time
import urllib.error
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from http.client import HTTPException
from itertools import islice
from pathlib import Path
from typing import Any

from msgspec import Struct, structs

from buto.actions.events import Reporter, Told, ignore
from buto.actions.outside import propose_isolation
from buto.engine.launching import record_one
from buto.errors import MeasureError, StorageError, UsageError
from buto.measure.hooks import LaunchHooks, MeasuredProgram
from buto.measure.opener import open_collector
from buto.measure.output import last_lines
from buto.measure.private_directory import private_directory
from buto.measure.target import PROCESS, STOPPED_EXIT
from buto.measure.workload.serving import OPENER
from buto.programs.jar import read_entries
from buto.programs.java import is_java
from buto.programs.named import native_executable
from buto.project import config
from buto.project.endpoints import HttpEndpoint, actuator_endpoints, openapi_endpoints
from buto.project.first import Answered, FirstLaunch, configuration
from buto.project.layout import (
    BUILD_FILES,
    Jar,
    Listing,
    Proposal,
    Proposed,
    Server,
    has_testcontainers,
    of_command,
    propose,
)
from buto.project.model import build_test
from buto.run.cache import read_file
from buto.run.files import publish_file
from buto.run.model import BUSY_SHARE, Problem, Run
from buto.run.store import RunStore
from buto.run.stored import parse_json
from buto.run.units import format_count, format_seconds

SHORT_S = 0.5
"""A program that ends sooner has less than five of the usual samples."""

_QUOTED = 5
"""Lines of a program that fails."""

_JARS = ("target/quarkus-app", "build/quarkus-app", "target", "build/libs")
_NOT_RUN = ("-sources.jar", "-javadoc.jar", "-plain.jar", "-tests.jar")
_SETTINGS = ("application.yml", "application.yaml", "application.properties")
_MOST_SOURCES, _MOST_JARS, _MOST_BYTES = 2000, 200, 1 << 20
_MOST_TEXT = 1 << 24
"""Characters of all sources together."""

JUNIT_HINT = (
    "tests of JUnit that start containers: add io.github.buto-jvm:buto-junit:0.1.0 (scope test) to the "
    "build, write @ButoTest in place of @Test, start the container in @BeforeEach, "
    "then: mvn test -Dbuto.train=true"
)

_OF_THE_SYSTEM = ("/bin/", "/sbin/", "/usr/")
"""Where executables are that start other programs, as env and bash."""


class Begun(Struct, frozen=True):
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
    room = _MOST_TEXT
    sources = (path for end in ("java", "kt") for path in directory.glob(f"src/main/**/*.{end}"))
    for source in sorted(islice(sources, _MOST_SOURCES)):
        text = _text(source) or ""
        room -= len(text)
        if room < 0:
            break
        texts[source.relative_to(directory).as_posix()] = text
    # Without a build, somebody has put the program into the directory itself.
    folders = _JARS if any(name in texts for name in BUILD_FILES) else (*_JARS, ".")
    archives = [path for folder in folders for path in islice((directory / folder).glob("*.jar"), _MOST_JARS)]
    jars: dict[str, Jar] = {}
    skipped: dict[str, str] = {}
    for archive in sorted(archives, key=lambda place: -_read_change_ns(place)):
        name = archive.relative_to(directory).as_posix()
        if not name.endswith(_NOT_RUN):
            try:
                jars[name] = _jar(archive)
            except ValueError as error:
                skipped[name] = str(error)
    return Listing(directory.resolve().name, texts, jars, skipped)


def begin(
    directory: Path,
    *,
    force: bool,
    launch: bool,
    command: Sequence[str] = (),
    reporter: Reporter = ignore,
) -> Begun:
    """Write ``buto.yaml`` for the project in a directory.

    Args:
        force: whether to replace a configuration.
        launch: whether to launch the program once; else nothing is known of what it answers.
        command: of the program; empty to look for one in the directory.

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
    if path.is_symlink():
        raise UsageError(
            f"{path} is a link, which is not written through",
            advice=f"remove it: rm {shlex.quote(str(path))}",
        )
    if path.exists() and not force:
        raise UsageError(f"{path} exists", advice="train with it, or replace it with --force")
    listing = listing_of(directory)
    proposal = of_command(command, listing) if command else propose(listing)
    if proposal is None:
        raise UsageError(
            f"there is no pom.xml, no build.gradle and no jar with a main class in {directory.resolve()}"
            + "".join(f"; {name} is skipped: {why}" for name, why in listing.skipped.items()),
            advice="go to the project's directory, or give the command of your program: buto init -- COMMAND",
        )
    if not proposal.tests:
        raise UsageError(
            f"this is {proposal.kind}, and {proposal.lacks}"
            + "".join(f"; {name} is skipped: {why}" for name, why in listing.skipped.items()),
            advice=proposal.missing,
        )
    words = proposal.tests[0].command
    executable = native_executable(words, directory, os.environ)
    # What a program of the system starts, as env or bash, is known after a launch only.
    is_own = executable is not None and not executable.startswith(_OF_THE_SYSTEM)
    if executable and (launch or is_own) and not any(map(is_java, words)):
        proposal = structs.replace(proposal, kind="a native executable", measure=PROCESS)
    looks = {test.name: FirstLaunch(others=test.server.endpoints) for test in proposal.tests if test.server}
    run: Run | None = None
    if launch:
        reporter(Told("", "launching the program once"))
        run, look = _launch(directory, proposal.tests[0], proposal.measure)
        if proposal.measure and run.metadata.get("buto.jvms.others"):
            reporter(Told("", "it starts a JVM: launching it once more, to measure that"))
            proposal = structs.replace(proposal, kind="a command", measure="")
            run, look = _launch(directory, proposal.tests[0])
        looks |= {proposal.tests[0].name: look} if look and (look.port or proposal.tests[0].server) else {}
    try:
        publish_file(path, configuration(proposal, looks).encode())
    except OSError as error:
        raise _unwritable(path, str(error.strerror)) from error
    config.load(path)
    seen, to_do = _remarks(proposal, looks, run)
    shared = None if run is None else propose_isolation([run], os.environ, [str(directory.resolve())])
    seen = (*seen, *([shared] if shared is not None else []))
    seen = (*seen, *(f"{name} is skipped: {why}" for name, why in listing.skipped.items()))
    return Begun(path, seen, (*to_do, *([JUNIT_HINT] if has_testcontainers(listing) else [])))


def _unwritable(path: Path, why: str) -> StorageError:
    return StorageError(f"{path} cannot be written: {why}", advice="make its directory writable")


def _launch(directory: Path, test: Proposed, measure: str = "") -> tuple[Run, FirstLaunch | None]:
    server = test.server
    environment = {**server.environment, **server.looking} if server else {}
    written = {"command": list(test.command), "environment": environment, "timeout": "3min"}
    written |= {"measure": measure} if measure else {}
    target = build_test(test.name, written, directory.resolve(), os.environ).target
    looking = None
    if server is not None:
        target = replace(target, expected_exit=STOPPED_EXIT)
    if server is not None or test.may_serve:
        looking = _Looking(server or Server(), serves=server is not None)
    with private_directory() as aside, open_collector(target) as collector:
        run = record_one(collector, test.name, RunStore(aside), {}, hooks=looking)
    look = looking.found if looking else None
    has_served = server is None and look is not None and look.port
    ended = run.outcome.exit_code if run.outcome.signal is None else 128 + run.outcome.signal
    if ended != (STOPPED_EXIT if has_served else target.expected_exit):
        arguments = "" if server else f"give all that it needs: buto init -- {shlex.join(test.command)} ...; "
        raise MeasureError(
            f"the program {run.outcome.describe()}\n{last_lines(run.stderr or run.stdout, _QUOTED)}",
            advice=f"see that it starts with this command; {arguments}or give --no-launch",
        )
    return run, look


class _Looking(LaunchHooks):
    """Hooks that ask a server what it has, in a thread of their own, and stop it.

    Attributes:
        found: what it answered.
        serves: whether it is known to be a server, which is stopped if it does not answer in time.
    """

    def __init__(self, server: Server, *, serves: bool = True) -> None:
        self._server = server
        self._serves = serves
        self._stop = threading.Event()
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="buto-look")
        self._done: Future[FirstLaunch] | None = None
        self._before: dict[str, list[int]] = {}
        self.found = FirstLaunch(others=server.endpoints)

    def program_started(self, program: MeasuredProgram) -> None:
        self._done = self._thread.submit(self._look, program)

    def program_ended(self) -> tuple[Problem, ...]:
        self._stop.set()
        assert self._done is not None
        self.found = self._done.result()
        self._thread.shutdown()
        return ()

    def _look(self, program: MeasuredProgram) -> FirstLaunch:
        began = time.monotonic()
        opened_s: dict[int, float] = {}
        try:
            while not self._stop.wait(_PAUSE_S):
                for port in program.ports():
                    looked = self._at(f"http://127.0.0.1:{port}", port)
                    now_s = time.monotonic() - began
                    if looked is not None:
                        return structs.replace(looked, ready_s=now_s)
                    if not self._serves and now_s - opened_s.setdefault(port, now_s) > _SILENT_S:
                        return FirstLaunch(port, status=0, ready_s=now_s)
                if self._serves and time.monotonic() - began > _LONGEST_S:
                    break
            return self.found
        finally:
            program.stop()

    def _at(self, url: str, port: int) -> FirstLaunch | None:
        """Return what a port answers; None if it is not ready yet, or is another port of the program."""
        paths = self._server.ready
        ready = next((path for path in paths if _ask(url + path)[0] == _GOOD), "")
        if paths and not ready:
            return None
        endpoints = self._server.endpoints
        for path in self._server.mappings:
            status, content = _ask(url + path)
            data = _json(content) if status == _GOOD else None
            endpoints = endpoints or openapi_endpoints(data) or actuator_endpoints(data)
        before = self._server.before
        placed = [structs.replace(endpoint, path=before + endpoint.path) for endpoint in endpoints]
        answered = tuple(_answer(url, endpoint) for endpoint in placed if endpoint.method == "GET")
        good = next((answer.endpoint.fill(answer.values) for answer in answered if answer.is_good), "")
        status = _GOOD
        if not paths:
            statuses = [answer.status for answer in answered]
            if not any(statuses):
                statuses = [_ask(f"{url}/")[0]]
                status = statuses[0]
            if not self._may_be_ready(url, statuses, bool(good)):
                return None
        others = tuple(endpoint for endpoint in placed if endpoint.method != "GET")
        return FirstLaunch(port, ready or good, status if not good else _GOOD, 0.0, answered, others)

    def _may_be_ready(self, url: str, statuses: list[int], is_good: bool) -> bool:
        """Return whether a server that does not tell is ready: one that is not may answer so for a while."""
        before, self._before[url] = self._before.get(url), statuses
        return any(statuses) and (_UNAVAILABLE not in statuses or (is_good and statuses == before))


_PAUSE_S, _LONGEST_S, _ANSWER_S = 0.2, 120.0, 10.0
_SILENT_S = 30.0
"""A port that answers no HTTP for so long is one of another protocol."""
_GOOD, _UNAVAILABLE = 200, 503
_TRIED = ("1", "a")
_MOST_NUMBERS = 20


def _answer(url: str, endpoint: HttpEndpoint) -> Answered:
    """Ask an endpoint with the values that it may know, until it answers well."""
    tried = []
    for value in _TRIED if endpoint.variables else _TRIED[:1]:
        values = dict.fromkeys(endpoint.variables, value)
        answer = Answered(endpoint, _ask(url + endpoint.fill(values))[0], values)
        if answer.is_good:
            # Of several variables, only this combination is known to exist.
            is_counted = len(values) == 1 and value == _TRIED[0]
            return structs.replace(answer, last=_last(url, endpoint)) if is_counted else answer
        tried.append(answer)
    return tried[0]


def _last(url: str, endpoint: HttpEndpoint) -> int:
    """Return the last of the numbers from 1 on that are answered well."""
    for number in range(2, _MOST_NUMBERS + 1):
        path = endpoint.fill(dict.fromkeys(endpoint.variables, str(number)))
        if _ask(url + path)[0] != _GOOD:
            return number - 1
    return _MOST_NUMBERS


def _ask(url: str) -> tuple[int, bytes]:
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
        return parse_json(content)
    except ValueError:
        return None


def _remarks(
    proposal: Proposal, looks: Mapping[str, FirstLaunch], run: Run | None
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    seen = [f"{proposal.kind}: {' '.join(proposal.tests[0].command)}"]
    if len(proposal.tests) > 1:
        seen.append(f"{format_count(len(proposal.tests), 'test')}, one for each benchmark")
    to_do: list[str] = []
    look = looks.get(proposal.tests[0].name)
    if run is None and look is None:
        serves = "; if it serves, fill in the workload" if proposal.tests[0].may_serve else ""
        to_do.append(f"it was not launched: see that the command is right{serves}")
    elif run is None:
        to_do.append("it was not launched: see that command, port, ready and requests are right")
    elif look is not None and not look.answers:
        to_do.append(f"it listens at port {look.port}, and does not answer HTTP: fill in what uses it")
    elif look is not None and not look.port:
        to_do.append("it did not answer within two minutes: fill in port and ready")
    elif look is not None:
        well = look.first or format_count(len(look.good), "endpoint")
        seen.append(
            f"it answered at port {look.port} after {format_seconds(look.ready_s)}; {well} answered well"
        )
        if proposal.tests[0].server is None:
            to_do.append("port, ready and requests are what the first launch opened: look at them")
    elif run.outcome.duration_s < SHORT_S and not proposal.measure:
        took = format_seconds(run.outcome.duration_s)
        to_do.append(
            f"it ended after {took}, which is too short for more than a few samples: give it more work, a "
            "second or two"
        )
    if look is not None and look.answers and not look.good:
        known = (
            f"only {look.first} is known to answer well" if look.first else "nothing is known to answer well"
        )
        to_do.append(f"{known}: fill in the requests")
    n_bad = 0 if look is None else len(look.answered) - len(look.good)
    if n_bad:
        to_do.append(
            f"{format_count(n_bad, 'endpoint')} did not answer well, and became comments: fill in values"
        )
    if look is not None and look.others:
        n_others = format_count(len(look.others), "endpoint")
        to_do.append(f"{n_others} may change data, and became comments: fill in bodies")
    foreign = run.metadata.get("host.load.foreign") if run is not None else None
    if isinstance(foreign, float) and foreign > BUSY_SHARE:
        to_do.append(f"other programs used {foreign:.0%} of the cores: train when the machine is quiet")
    return tuple(seen), tuple(to_do)


def _text(path: Path) -> str | None:
    try:
        return read_file(path, _MOST_BYTES, follow=True).decode("utf-8", "replace")
    except ValueError:
        return None


def _read_change_ns(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0


def _jar(path: Path) -> Jar:
    """Return what a jar says of itself; ValueError if it cannot be read."""
    entries = read_entries(path, (_MANIFEST, _BENCHMARKS), _MOST_BYTES)
    manifest, listed = (entries.get(name, b"").decode(errors="replace") for name in (_MANIFEST, _BENCHMARKS))
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
