"""The table of options: every interface takes names, types, defaults and help texts from here.

From one row come an option of the command line, a key of a test in ``buto.yaml`` with its JSON schema, a
keyword argument in Python, an argument of pytest's mark with its default in the ini file, and the way in
which next steps name it. A new option needs a row here and the code that acts on its value.

The rows of keyword arguments stand in the annotations of a TypedDict, where type checkers and editors find
their types. Every interface imports this module, so it imports nothing heavy, dataclasses neither.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, TypedDict, get_args, get_origin, get_type_hints

AUTO = "auto"
"""Value of ``runs`` for as many runs as sharpen the oracle."""

MAX_RUNS = 10_000

NEVER = "never"
"""Value of ``keep`` for no files at all."""

_LAUNCHING = ("train", "check", "accept", "compare", "bisect", "record", "why", "grow", "size")
_OF_ORACLES = ("report", "selftest", "plot")


class Option(NamedTuple):
    """One row.

    Attributes:
        help: what it is or does, in a phrase.
        default: in words; empty if it goes without saying.
        value: what stands for its value in ``--help``.
        commands: the commands that take it.
        group: of options in ``--help``; empty for none.
        flag: its word on the command line; empty for its key.
        schema: the JSON schema of its values in ``buto.yaml``; None if it has no key there.
        about: what ``buto schema`` says of it, in place of ``help``.
        to_key: turns its value in a call into the value of its key; None if they are equal.
        name: in Python; the table fills it in.
        type: of its values in Python; the table fills it in.
    """

    help: str
    default: str = ""
    value: str | None = None
    commands: Sequence[str] = ()
    group: str = ""
    flag: str = ""
    schema: Mapping[str, Any] | None = None
    about: str = ""
    to_key: Callable[[Any], Any] | None = None
    name: str = ""
    type: Any = None

    @property
    def key(self) -> str:
        """Return its name in ``buto.yaml``."""
        return self.name.replace("_", "-")

    @property
    def choices(self) -> tuple[str, ...] | None:
        """Return its values if there are only a few."""
        return get_args(self.type) if get_origin(self.type) is Literal else None

    @property
    def is_list(self) -> bool:
        """Return whether it may be given several times."""
        return get_origin(self.type) is Sequence

    def key_schema(self) -> dict[str, Any]:
        """Return the JSON schema of its key, with a description."""
        schema = self.schema or {}
        text = self.about or self.help
        default = f"; default {self.default}" if self.default else ""
        title = {"title": schema["title"]} if "title" in schema else {}
        return {**title, "description": f"{text[0].upper()}{text[1:]}{default}.", **schema}


def _file(help: str, default: str, value: str, *commands: str) -> Option:
    return Option(help=help, default=default, value=value, commands=commands, group="files")


def _measuring(help: str, value: str | None, default: str = "", *also: str, **more: Any) -> Option:
    """Return a row for all commands that launch, and for others that are named."""
    commands = (*_LAUNCHING, *also)
    return Option(help=help, default=default, value=value, commands=commands, group="measuring", **more)


_DURATION = {"$ref": "#/definitions/duration"}


class Location(TypedDict, total=False):
    """Where the files of a project are; those that are not given are beside its configuration."""

    config: Annotated[
        str | Path,
        _file(
            "configuration",
            "./buto.yaml, if it exists",
            "FILE",
            *(*_LAUNCHING, *_OF_ORACLES, "release", "history", "label", "sources"),
        ),
    ]
    store: Annotated[
        str | Path,
        _file(
            "where runs are kept: a directory, or s3://BUCKET/PREFIX",
            ".buto",
            "DIR",
            *(*_LAUNCHING, *_OF_ORACLES, "release", "history", "label", "attach", "runs", "doctor"),
        ),
    ]
    oracle: Annotated[
        str | Path,
        _file(
            "the oracle",
            "oracles/NAME.json",
            "FILE",
            *("train", "check", "accept", "bisect", "why", "grow", "size", "release", *_OF_ORACLES),
        ),
    ]


class Measuring(TypedDict, total=False):
    """How the program of a test is launched and measured, over its configuration."""

    interval: Annotated[
        str, _measuring("time between two samples", "TIME", "100ms", "attach", schema=_DURATION)
    ]
    timeout: Annotated[
        str,
        _measuring(
            "stop the program after this time",
            "TIME",
            "10min",
            schema=_DURATION,
            about="after this time the program is stopped and the run is invalid",
        ),
    ]
    jvm: Annotated[
        str,
        _measuring(
            "main class of the JVM to measure, if several JVMs start",
            "PATTERN",
            schema={"$ref": "#/definitions/pattern"},
            about="which JVM to measure when the command starts several: a shell pattern for its main class "
            "or jar. Without it, the first that is no build tool",
        ),
    ]
    measure: Annotated[
        Literal["jvm", "process"],
        _measuring(
            "measure the JVM that the command starts, or a command without a JVM as a process",
            None,
            "jvm",
            schema={"enum": ["jvm", "process"]},
            about="what to measure: jvm (the JVM that the command starts) or process (a command without a "
            "JVM, such as a native executable, from outside)",
        ),
    ]
    collector: Annotated[
        Literal["agent", "jmx"],
        _measuring(
            "measure from inside the JVM or by JMX",
            None,
            "agent",
            schema={"enum": ["agent", "jmx"]},
            about="how to measure: agent (inside the program) or jmx (from outside)",
        ),
    ]
    live_set: Annotated[
        str,
        _measuring(
            "force a collection and count the live objects: off, end, marks, or a time as 5s",
            "WHEN",
            "end, or off with jmx",
            schema={"title": "off, end, marks or a duration", "type": ["string", "number"]},
            about="when to count the live objects of each class, after a forced collection: off, end, marks "
            "(and at the end), or a duration (and at the end)",
        ),
    ]
    mbeans: Annotated[
        Sequence[str],
        _measuring(
            "also record these MBeans of the program, as 'com.acme:*'; may be repeated",
            "PATTERN",
            "",
            "attach",
            flag="mbean",
            schema={"$ref": "#/definitions/mbeans"},
            about="MBeans of the program's own to record, beside those of the JVM",
            to_key=lambda patterns: [{"name": pattern} for pattern in patterns],
        ),
    ]
    environment: Annotated[
        str, _measuring("keep in the runs where they are recorded, as NAME or 'ci,database=17'", "LABELS")
    ]
    expect_exit: Annotated[
        int, _measuring("exit code of a good run", "N", "0", schema={"$ref": "#/definitions/exit-code"})
    ]


class Options(Location, Measuring, total=False):
    """What a call specifies of a test, over its configuration; as the options of the command line."""


def _key_row(name: str, help: str, default: str = "", definition: str = "") -> Option:
    """Return a row for a key of ``buto.yaml`` and an argument of pytest's mark alone."""
    shape = {"$ref": f"#/definitions/{definition or name}"}
    return Option(help=help, default=default, schema=shape, name=name)


def _rows(table: type) -> dict[str, Option]:
    hints = get_type_hints(table, include_extras=True)
    parts = {name: get_args(annotation) for name, annotation in hints.items()}
    return {name: option._replace(name=name, type=kind) for name, (kind, option) in parts.items()}


LOCATION: Mapping[str, Option] = _rows(Location)
MEASURING: Mapping[str, Option] = _rows(Measuring)
Options.__doc__ = f"{Options.__doc__}\n\n    Attributes:\n" + "\n".join(
    f"        {name}: {option.help}." for name, option in {**LOCATION, **MEASURING}.items()
)

ALPHA = Option(
    help="share of checks of an unchanged program that may fail",
    default="from the oracle or buto.yaml, else 0.01",
    value="SHARE",
    commands=("train", "check", "bisect"),
    name="alpha",
    type=float,
)
SCHEDULER = Option(
    help="launch on the hosts of this Dask scheduler, or 'local'",
    about="launch on the hosts of this scheduler; local starts one with this machine as its only host. "
    "Default: launch here",
    schema={
        "title": "the address of a Dask scheduler, or local",
        "type": "string",
        "minLength": 1,
        "examples": ["tcp://10.0.0.1:8786", "local"],
    },
    default="BUTO_SCHEDULER, buto.yaml, else on this machine",
    value="ADDRESS",
    commands=[name for name in _LAUNCHING if name not in ("why", "grow", "size")],
    group="measuring",
    name="scheduler",
    type=str,
)

OF_COMMANDS: Mapping[str, Option] = {"alpha": ALPHA, **MEASURING, "scheduler": SCHEDULER, **LOCATION}
"""The options that commands share, by their names in Python, in the order of ``--help``."""

TEST: Mapping[str, Option] = {
    option.key: option
    for option in (
        _key_row(
            "command",
            "how to start the program; anything that starts a JVM, or with measure: process anything",
        ),
        _key_row("runs", "how many runs train the oracle; auto: as many as still sharpen it, 8 to 30", "10"),
        *(option for option in MEASURING.values() if option.schema is not None),
        _key_row(
            "working_directory",
            "where the command runs, relative to this file",
            "this file's directory",
            "directory",
        ),
        _key_row("environment", "added to buto's own environment"),
        _key_row(
            "isolate",
            "home: each launch has an empty home directory and an empty temporary directory of its own, so "
            "that no launch changes the next one",
            NEVER,
        ),
        _key_row(
            "virtual_threads",
            "count: count virtual threads that are pinned, rejected, or alive at the end, by Flight Recorder "
            "in the JVM; for Java 21 and newer",
            NEVER,
            "virtual-threads",
        ),
        _key_row(
            "inputs",
            "what the test depends on: with --changed-since it is checked only if one of these files has "
            "changed. * stays within a directory, ** does not; a directory means all that is in it",
        ),
        _key_row(
            "explain",
            "auto: a check that fails launches the old program and the new one three times each under Flight "
            "Recorder, and once to count calls, and tells which code did it",
            NEVER,
        ),
        _key_row(
            "growth",
            "never: a check also launches the program once more, counts what it keeps after each of 12 "
            "rounds of its work, and fails if anything grows in every round. Or {rounds: 8} for another "
            "number, and {by: load} for rounds that are the test's load, repeated",
            "not looked at",
        ),
        _key_row(
            "keep",
            "how large the program's files may be that training keeps, so that a check can launch the old "
            "program again",
            "256MiB",
        ),
        _key_row(
            "program",
            "from which revision the old program is built to be launched again, for programs whose files "
            "cannot be kept",
        ),
        _key_row(
            "release",
            "which tags of git are releases, as a shell pattern; buto release names others",
            "none",
        ),
        _key_row(
            "budget",
            "how much properties may use more from one release to the next, all changes together; check "
            "--release fails only for more, and a check tells how much of it is used",
        ),
        _key_row(
            "limit",
            "how much memory the program may need: a check fails if the peak of resident memory of a run is "
            "above it, whatever its oracle says; buto size says how much it needs",
            "none",
        ),
        _key_row(
            "mask",
            "whose values are masked in all that is written, beside those of the usual names: of options, "
            "system properties, environment variables, attributes and keys of metadata",
        ),
        _key_row(
            "services",
            "commands that run beside the program: started in this order before it, each when the one before "
            "is ready, and stopped after it",
        ),
        _key_row(
            "labels",
            "what the environment is called, and what it has: kept in each run, never judged. The label name "
            "is the environment's own. BUTO_ENVIRONMENT overrides them",
        ),
        _key_row(
            "hosts",
            "which hosts of a cluster may record the test; shell patterns for a host's name and for the "
            "model of its processor, and tags that its worker was started with",
        ),
        _key_row(
            "window",
            "which part of a run is learned and judged",
            "all of it; without start and warm-up where the workload waits until the program is ready",
        ),
        _key_row("workload", "what is done to the program while it is measured"),
        _key_row(
            "sources",
            "where to read further numbers, beside those of the JVM; each name begins the names of its "
            "properties. A source that is called like a kind is of that kind",
        ),
        _key_row("judge", "how runs are judged"),
    )
}
"""The keys of a test in ``buto.yaml``."""

INI = (
    "runs",
    "alpha",
    "fail_on",
    *(name for name, option in MEASURING.items() if option.schema is not None and not option.is_list),
)
"""The arguments of pytest's mark that can have a default in the ini file: those that are one word."""


def is_only_configured(key: str) -> bool:
    """Return whether a key of a test is none of a call: it must be written where the test is configured."""
    return key in TEST and argument(key) not in OF_COMMANDS and key not in ("command", "runs")


def flag(key: str) -> str:
    """Return a key as the command line has it."""
    option = OF_COMMANDS.get(argument(key))
    return f"--{option.flag}" if option and option.flag else f"--{key.replace('_', '-')}"


def argument(key: str) -> str:
    """Return a key as Python has it."""
    return key.replace("-", "_")
