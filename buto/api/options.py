"""The options that the functions of this package have in common, and the project that they mean."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from buto.api.python_door import PythonDoor
from buto.config.scheduler import scheduler_of
from buto.errors import UsageError
from buto.options import AUTO, LOCATION, MAX_RUNS, MEASURING, Location, Options
from buto.profiles import Kind
from buto.runs.storage.place import Place, place_of
from buto.workflow.project import NO_OVERRIDES, Files, Overrides, Project, measuring


def located(options: Location, overrides: Overrides = NO_OVERRIDES) -> Project:
    """Return the project of a call.

    Raises:
        TypeError: there is no such option.
        ConfigError: its configuration does not follow its schema.
        BadFileError: the configuration that was named does not exist, or cannot be read.
    """
    known = (*LOCATION, *MEASURING)
    unknown = [key for key in options if key not in known]
    if unknown:
        raise TypeError(f"there is no option {unknown[0]!r}; known are {', '.join(known)}")
    paths: dict[str, Path] = {key: Path(options[key]) for key in ("config", "oracle") if key in options}
    store = {"store": place_of(options["store"])} if "store" in options else {}
    files = Files.located(paths.get("config"), store.get("store"), paths.get("oracle"))
    specified: dict[str, Place] = {**paths, **store}
    configuration = files.read_configuration()
    scheduler = scheduler_of(None, "" if configuration is None else configuration.scheduler, os.environ)
    return Project(files, configuration, PythonDoor(specified, overrides), scheduler)


def project_of(
    options: Options, command: Sequence[str] | None, alpha: float | None = None
) -> tuple[Project, Overrides]:
    """Return the project of a call, and what the call specifies of the test.

    Raises:
        TypeError: there is no such option, or the command or the patterns are one text.
        ConfigError, BadFileError: see :func:`located`.
    """
    if isinstance(command, str):
        raise TypeError('command must be a list of arguments, as ["java", "-jar", "app.jar"], got a text')
    for name, option in MEASURING.items():
        if option.is_list and isinstance(options.get(name), str):
            raise TypeError(f"{name} must be a list of patterns, got {options.get(name)!r}")
    overrides = Overrides(None if command is None else tuple(command), alpha, measuring(options))
    return located(options, overrides), overrides


def check_count(argument: str, number: object, *, auto: bool = False, most: int = MAX_RUNS) -> None:
    """Raise UsageError unless a number of launches is one that the command line takes, or None.

    Args:
        argument: its name, for the message.
        auto: whether ``"auto"`` is one, too.
        most: the largest.
    """
    if number is None or (auto and number == AUTO):
        return
    if not isinstance(number, int) or isinstance(number, bool) or not 1 <= number <= most:
        also = f' or "{AUTO}"' if auto else ""
        raise UsageError(f"{argument} must be a whole number from 1 to {most}{also}, got {number!r}")


def kinds_named(words: Sequence[str]) -> tuple[Kind, ...]:
    """Return the kinds of events that these words name, each once.

    Raises:
        TypeError: the words are one text.
        UsageError: one of them names no kind.
    """
    if isinstance(words, str):
        raise TypeError(f'kinds must be a list of words, as ["allocation", "cpu"], got {words!r}')
    known = {kind.value: kind for kind in Kind}
    for word in words:
        if word not in known:
            raise UsageError(f"each of kinds must be one of {', '.join(known)}, got {word!r}")
    return tuple(dict.fromkeys(known[word] for word in words))


def exclude(**specified: object) -> None:
    """Raise UsageError if more than one of these arguments is specified, as on the command line."""
    names = [name for name, value in specified.items() if value]
    if len(names) > 1:
        raise UsageError(f"{' and '.join(names)} exclude each other")
