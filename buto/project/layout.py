"""What kind of project a directory has, and the tests that fit it.

Each kind is one row of KINDS: a function from the listing of a directory to a proposal, or None if the
project is of another kind. Nothing is read or launched here.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from pathlib import PurePosixPath

from msgspec import Struct, field

from buto.measure.command_line import is_java, program_words
from buto.project.endpoints import HttpEndpoint, jax_rs_endpoints, spring_endpoints


class Jar(Struct, frozen=True):
    """What a jar says of itself.

    Attributes:
        manifest: its main attributes.
        benchmarks: names of the benchmarks of JMH in it.
    """

    manifest: Mapping[str, str] = field(default_factory=dict)
    benchmarks: tuple[str, ...] = ()


class Listing(Struct, frozen=True):
    """What is known of a directory; all paths are relative to it, with ``/``.

    Attributes:
        name: of the directory.
        texts: build files, settings and sources, by path.
        jars: those that the build left, by path, the newest first.
        skipped: jars that cannot be read, by path, and why.
    """

    name: str
    texts: Mapping[str, str] = field(default_factory=dict)
    jars: Mapping[str, Jar] = field(default_factory=dict)
    skipped: Mapping[str, str] = field(default_factory=dict)

    @property
    def build(self) -> str:
        """The texts of the build files."""
        return "\n".join(text for path, text in self.texts.items() if path in BUILD_FILES)

    @property
    def package(self) -> str:
        """The command that makes the jar."""
        return "mvn package" if "pom.xml" in self.texts else "gradle build"

    @property
    def first_step(self) -> str:
        """What to do before there is a jar to launch."""
        return self.beside_plugin(f"{self.package}; then call this again")

    def beside_plugin(self, step: str) -> str:
        """Return a step, after the one that a build with buto's plug-in has already."""
        trains = next((task for pattern, task in _PLUGINS.items() if re.search(pattern, self.build)), "")
        return (
            f"its build has buto's plug-in, which trains its tests: {trains}; or {step}" if trains else step
        )

    @property
    def main_class(self) -> str:
        """The first class among the sources that has a main method; empty if none is known to."""
        mains = (path for path, text in self.sources().items() if _MAIN.search(text))
        path = next((path for path in mains if path.startswith(_JAVA)), "")
        return path.removeprefix(_JAVA).removesuffix(".java").replace("/", ".")

    @property
    def inputs(self) -> tuple[str, ...]:
        """What a jar is made of."""
        sources = ("src/main",) if any(path.startswith("src/main/") for path in self.texts) else ()
        return tuple(path for path in BUILD_FILES if path in self.texts) + sources

    def sources(self) -> dict[str, str]:
        """Return the sources of the program, without those of its tests."""
        return {
            path: text
            for path, text in self.texts.items()
            if path.startswith("src/main/") and path.endswith((".java", ".kt"))
        }

    def setting(self, key: str) -> str:
        """Return a setting of ``application.properties`` or ``application.yml``; empty if it is not there."""
        for path, text in self.texts.items():
            if path.endswith("application.properties"):
                match = re.search(rf"^\s*{re.escape(key)}\s*[=:]\s*(\S*)", text, re.MULTILINE)
                if match:
                    return match[1]
            elif PurePosixPath(path).stem == "application" and (value := _nest(text, key.split("."))):
                return value
        return ""


BUILD_FILES = ("pom.xml", "build.gradle", "build.gradle.kts")

_PLUGINS = {
    r"buto-maven-plugin": "mvn package buto:train",
    r"buto-gradle-plugin|plugin:\s*['\"]buto['\"]|\bid\s*\(?\s*['\"]buto['\"]": "gradle butoTrain",
}
"""By a pattern of a build with buto's plug-in: what trains the tests that it names."""

_JAVA = "src/main/java/"
_MAIN = re.compile(r"\bstatic\s+(?:final\s+)?void\s+main\s*\(")

_LINE = re.compile(r"^( *)([\w.-]+):[ \t]*(.*?)[ \t]*(?:#.*)?$")


def _nest(text: str, keys: list[str]) -> str:
    """Return a value of YAML in block style; the first document counts."""
    path: list[tuple[int, str]] = []
    for line in text.split("\n---", 1)[0].splitlines():
        match = _LINE.match(line)
        if not match:
            continue
        depth = len(match[1])
        path = [level for level in path if level[0] < depth] + [(depth, match[2])]
        if ".".join(key for _, key in path).split(".") == keys:
            return match[3].strip("\"'")
    return ""


class Server(Struct, frozen=True):
    """How a test talks to a program that serves.

    Attributes:
        ready: paths that may tell that it is ready, the best first.
        mappings: paths that may list its endpoints.
        endpoints: those that its sources name.
        before: begins the path of each endpoint.
        environment: of the program, so that it tells that it is ready.
        looking: of the program, beside that, during the first look.
    """

    ready: tuple[str, ...] = ()
    mappings: tuple[str, ...] = ()
    endpoints: tuple[HttpEndpoint, ...] = ()
    before: str = ""
    environment: Mapping[str, str] = field(default_factory=dict)
    looking: Mapping[str, str] = field(default_factory=dict)


class Proposed(Struct, frozen=True):
    """One test.

    Attributes:
        server: None if it is not known to serve.
        about: a comment above its command.
        may_serve: whether a launch has to show if it serves.
    """

    name: str
    command: tuple[str, ...]
    server: Server | None = None
    about: str = ""
    may_serve: bool = False


class Proposal(Struct, frozen=True):
    """What fits a project.

    Attributes:
        kind: of project, in words.
        tests: empty if something must be built first, or if it is tested in another way.
        measure: what each test measures; empty for the JVM that it starts.
        inputs: what the tests depend on.
        missing: what to do first; empty if nothing.
        lacks: why nothing can be launched before, as a clause.
    """

    kind: str
    tests: tuple[Proposed, ...] = ()
    inputs: tuple[str, ...] = ()
    missing: str = ""
    lacks: str = "there is no jar to launch in target or build/libs"
    measure: str = ""


HEAP = "-Xmx512m"
"""A fixed limit, so that the heap is as large on another machine."""

_PROBES = "MANAGEMENT_ENDPOINT_HEALTH_PROBES_ENABLED"
_EXPOSED = "MANAGEMENT_ENDPOINTS_WEB_EXPOSURE_INCLUDE"


def _name(path: str) -> str:
    """Return the name of a test for a jar: without its version."""
    name = re.sub(r"[-_.]\d.*$|[^\w-]", "", PurePosixPath(path).stem, flags=re.ASCII)
    return name.lstrip("-").lower() or "program"


def quarkus(listing: Listing) -> Proposal | None:
    """Propose tests of a Quarkus application."""
    run = next((path for path in listing.jars if path.endswith("quarkus-app/quarkus-run.jar")), None)
    if run is None and "io.quarkus" not in listing.build:
        return None
    if run is None:
        return Proposal("a Quarkus application", missing=listing.first_step)
    root = listing.setting("quarkus.http.root-path").strip("/")
    root = f"/{root}" if root else ""
    # Without this extension, nothing at these paths ever answers.
    has_health = "smallrye-health" in listing.build or not listing.build
    server = Server(
        ready=(f"{root}/q/health/ready", f"{root}/q/health") if has_health else (),
        mappings=(f"{root}/q/openapi?format=json",),
        endpoints=jax_rs_endpoints(listing.sources()),
        before=root,
    )
    test = Proposed(_name(listing.name), ("java", HEAP, "-jar", run), server)
    return Proposal("a Quarkus application", (test,), listing.inputs)


def spring_boot(listing: Listing) -> Proposal | None:
    """Propose tests of a Spring Boot application."""
    archives = (path for path, jar in listing.jars.items() if "Spring-Boot-Version" in jar.manifest)
    run = next(archives, None)
    if run is None and "spring-boot" not in listing.build:
        return None
    if run is None:
        return Proposal("a Spring Boot application", missing=listing.first_step)
    has_actuator = "actuator" in listing.build or not listing.build
    context = listing.setting("server.servlet.context-path").rstrip("/")
    base = context + (listing.setting("management.endpoints.web.base-path").rstrip("/") or "/actuator")
    server = Server(
        ready=(f"{base}/health/readiness", f"{base}/health") if has_actuator else (),
        mappings=(f"{context}/v3/api-docs", *([f"{base}/mappings"] if has_actuator else [])),
        endpoints=spring_endpoints(listing.sources()),
        before=context,
        environment={_PROBES: "true"} if has_actuator else {},
        looking={_EXPOSED: "health,mappings"} if has_actuator else {},
    )
    test = Proposed(_name(run), ("java", HEAP, "-jar", run), server)
    return Proposal("a Spring Boot application", (test,), listing.inputs)


MOST_BENCHMARKS = 20


def benchmarks(listing: Listing) -> Proposal | None:
    """Propose a test for each benchmark of a jar of JMH."""
    run = next((path for path, jar in listing.jars.items() if jar.benchmarks), None)
    if run is None and "jmh-core" in listing.build:
        return Proposal("benchmarks of JMH", missing=listing.first_step)
    if run is None:
        return None
    # A fixed number of calls: in a fixed time, a faster benchmark does more work.
    words = ("-f", "0", "-bm", "ss", "-wi", "0", "-i", "1", "-bs", "10000")
    about = "each launch is a fork (-f 0), with 10000 calls (-bs), so that each run does the same work"
    tests: dict[str, Proposed] = {}
    for benchmark in listing.jars[run].benchmarks[:MOST_BENCHMARKS]:
        name = "-".join(benchmark.split(".")[-2:]).lower()
        # Another package may have a class of this name.
        name = name if name not in tests else f"{name}-{len(tests) + 1}"
        command = ("java", HEAP, "-jar", run, f"^{re.escape(benchmark)}$", *words)
        tests[name] = Proposed(name, command, about=about)
    return Proposal("benchmarks of JMH", tuple(tests.values()), listing.inputs)


def plain_main(listing: Listing) -> Proposal | None:
    """Propose a test of a jar with a main class."""
    run = next((path for path, jar in listing.jars.items() if jar.manifest.get("Main-Class")), None)
    if run is None:
        return None
    about = "add the arguments with which it does the same work each time, and ends"
    test = Proposed(_name(run), ("java", HEAP, "-jar", run), about=about, may_serve=True)
    return Proposal("a program with a main class", (test,), listing.inputs)


def of_command(command: Sequence[str], listing: Listing) -> Proposal:
    """Propose a test of a command that the user gave."""
    program = program_words(command)[0]
    is_class = is_java(command) and not program.endswith(".jar")
    name = _name(program.rpartition(".")[2] if is_class else program)
    return Proposal("a command", (Proposed(name, tuple(command), may_serve=True),), listing.inputs)


def to_be_built(listing: Listing) -> Proposal | None:
    """Propose to build a project that has no jar yet, or to name the main class of its jar."""
    if not listing.build:
        return None
    kind, built = "a Maven or Gradle project", next(iter(listing.jars), "")
    if not built:
        return Proposal(kind, missing=listing.first_step)
    step = shlex.join(["buto", "init", "--", "java", "-cp", built, listing.main_class or "MAIN-CLASS"])
    return Proposal(kind, missing=listing.beside_plugin(step), lacks=f"{built} has no Main-Class to launch")


KINDS: tuple[Callable[[Listing], Proposal | None], ...] = (
    quarkus,
    spring_boot,
    benchmarks,
    plain_main,
    to_be_built,
)
"""The kinds of projects; the first that fits counts."""


def propose(listing: Listing) -> Proposal | None:
    """Return what fits a project; None if nothing is known of it."""
    return next((proposal for kind in KINDS if (proposal := kind(listing)) is not None), None)


def has_testcontainers(listing: Listing) -> bool:
    """Return whether tests of JUnit start containers."""
    return "org.testcontainers" in listing.build
