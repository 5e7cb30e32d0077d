"""What the functions of this package have in common: their options, the project that they mean, and advice.

A next step is written as a call of this package, because its user calls buto from Python.
"""

from __future__ import annotations

import json
import os
import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Concatenate, ParamSpec, TypeVar, cast

from msgspec import Struct

from buto.actions.events import Event, Reporter, ignore
from buto.actions.outcome import CallOutcome
from buto.actions.project import NO_OVERRIDES, Files, Overrides, Project, measuring
from buto.actions.wording import FrontEnd, word_event, word_outcome
from buto.causes.profiles import ProfileKind
from buto.errors import ButoError, UsageError
from buto.project.document import scheduler_of
from buto.project.options import (
    AUTO,
    LOCATION,
    MAX_RUNS,
    MEASURING,
    Location,
    Options,
    argument,
    is_only_configured,
)
from buto.run.masking import Mask
from buto.run.storage import Place, place_of
from buto.steps import Action, Step

P = ParamSpec("P")
R = TypeVar("R")

_NUMBER = re.compile(r"\d+(\.\d+)?")
_LAUNCHING = frozenset({Action.RECORD, Action.TRAIN, Action.CHECK, Action.ACCEPT, Action.WHY, Action.RELEASE})
_OF_STORED = frozenset({Action.SELFTEST, Action.LABEL})
_COMMAND_LINE_ONLY = frozenset(
    {
        Action.ATTACH,
        Action.BISECT,
        Action.GROW,
        Action.SIZE,
        Action.REPORT,
        Action.DOCTOR,
        Action.SCHEMA,
    }
)


@dataclass(frozen=True, slots=True)
class PythonFrontEnd(FrontEnd):
    """Advice as calls of this package.

    Attributes:
        located: which of ``config``, ``store`` and ``oracle`` were specified, to be specified again.
        overrides: what was specified of the test, to be specified again; secrets are masked.
    """

    located: Mapping[str, Place] = field(default_factory=dict)
    overrides: Overrides = NO_OVERRIDES

    def setting(self, key: str, value: str) -> str:
        if is_only_configured(key):
            return f"{key}: {value}, at the test in {self.configuration}"
        return f"{argument(key)}={value if _NUMBER.fullmatch(value) else _text(value)}"

    def name(self, key: str) -> str:
        return argument(key)

    def usage(self, action: Action) -> str:
        # Without arguments, super() fails in a dataclass with slots.
        return (
            f"help(buto.{action.value})" if action not in _COMMAND_LINE_ONLY else FrontEnd.usage(self, action)
        )

    def write(self, step: Step) -> str:
        store = self._locate("store")
        match step.action:
            case Action.LIST_RUNS:
                return f"buto.open_store({', '.join(store.values())}).tests()"
            case Action.SHOW_RUN:
                opened = f"buto.open_store({', '.join(store.values())})"
                run = "" if step.run_id is None else f", {_text(step.run_id)}"
                return f"{opened}.load{'_set' if step.run_id is None else ''}({_text(step.test)}{run})"
            case Action.DELETE_RUN:
                runs = "" if step.run_id is None else _text(step.run_id)
                return f"buto.open_store({', '.join(store.values())}).delete({_text(step.test)}, [{runs}])"
            case Action.PLOT:
                return "buto.plot_result(result)"
            case _ if step.only:
                return str(step)
            case action if action in _COMMAND_LINE_ONLY:
                return shlex.join(["buto", action.value, *([step.test] if step.test else [])])
            case _:
                return self._again(step)

    def _again(self, step: Step) -> str:
        """Return a call about the same program, with what was specified for this one unless the step is
        plain.
        """
        names = (step.test,) if step.action is Action.WHY else (step.test, step.against)
        positional = [_text(name) for name in names if name]
        if step.action is Action.LABEL:
            positional += ['"last"', _text(step.label or "good")]
        if step.action is Action.RELEASE:
            positional.append(_text(step.release or "NAME"))
        named = {} if step.runs is None else {"runs": str(step.runs)}
        if step.action is Action.CHECK and step.release:
            named["release"] = "True"
        if step.action is Action.WHY:
            named |= _programs(step)
        if step.profile:
            named["profile"] = "True"
        if step.from_runs is not None:
            named["from_runs"] = _text(step.from_runs)
        command = step.command
        judges = step.action not in (Action.RECORD, Action.LABEL)
        places = ("config", "store", "oracle") if judges else ("config", "store")
        named |= self._locate(*places)
        if not step.plain:
            named |= self._overrides(step.action)
            command = self.overrides.command or command
        if command and step.action in _LAUNCHING:
            named["command"] = _python(Mask().words(command))
        words = [*positional, *(f"{key}={value}" for key, value in named.items())]
        return f"buto.{step.action.value}({', '.join(words)})"

    def _locate(self, *keys: str) -> dict[str, str]:
        return {key: _text(str(self.located[key])) for key in keys if key in self.located}

    def _overrides(self, action: Action) -> dict[str, str]:
        """Return what a call of this action takes of what was specified."""
        if action in _OF_STORED:
            return {}
        alpha = {"alpha": self.overrides.alpha} if action is Action.COMPARE else {}
        specified: dict[str, object] = {**self.overrides.options, **alpha}
        return {name: _python(value) for name, value in specified.items() if value is not None}


def _programs(step: Step) -> dict[str, str]:
    """Return which programs an explanation compares; nothing for the stored profile."""
    revisions = f"({', '.join(map(_text, step.revisions))})" if step.revisions else ""
    texts = {"against": step.against, "build": step.build}
    named = {key: _text(value) for key, value in texts.items() if value}
    return named | ({"revisions": revisions} if revisions else {})


def _python(value: object) -> str:
    """Return a text, a number or a list of texts as a call has it."""
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_text, value))}]"
    return _text(value) if isinstance(value, str) else f"{value:g}"


def _text(value: str) -> str:
    """Return a text as Python and people write it."""
    return json.dumps(value, ensure_ascii=False)


class ApiCall(Struct, frozen=True):
    """A call of a function of this package.

    Attributes:
        project: that it means.
        overrides: what it specifies of the test.
        front_end: how its user is spoken to.
    """

    project: Project
    overrides: Overrides
    front_end: FrontEnd

    def carry_out(
        self,
        action: Callable[Concatenate[Project, P], R],
        /,
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> R:
        """Return what an action gives; its outcome and its errors are in the words of this package."""
        try:
            given = action(self.project, *args, **kwargs)
        except ButoError as error:
            error.rephrase(self.front_end.words)
            raise
        return cast(R, word_outcome(given, self.front_end)) if isinstance(given, CallOutcome) else given

    def reporter(self, on_event: Reporter) -> Reporter:
        """Return what passes events on to a user, in the words of this package."""
        if on_event is ignore:
            return on_event

        def report(event: Event) -> None:
            on_event(word_event(event, self.front_end))

        return report


def locate(options: Location, overrides: Overrides = NO_OVERRIDES) -> ApiCall:
    """Return a call on a project.

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
    files = Files.locate(paths.get("config"), store.get("store"), paths.get("oracle"))
    specified: dict[str, Place] = {**paths, **store}
    configuration = files.read_configuration()
    scheduler = scheduler_of(None, "" if configuration is None else configuration.scheduler, os.environ)
    return ApiCall(Project(files, configuration, scheduler), overrides, PythonFrontEnd(specified, overrides))


def call_of(options: Options, command: Sequence[str] | None, alpha: float | None = None) -> ApiCall:
    """Return a call with what it specifies of the test.

    Raises:
        TypeError: there is no such option, or the command or the patterns are one text.
        ConfigError, BadFileError: see :func:`locate`.
    """
    if isinstance(command, str):
        raise TypeError('command must be a list of arguments, as ["java", "-jar", "app.jar"], got a text')
    for name, option in MEASURING.items():
        if option.is_list and isinstance(options.get(name), str):
            raise TypeError(f"{name} must be a list of patterns, got {options.get(name)!r}")
    overrides = Overrides(None if command is None else tuple(command), alpha, measuring(options))
    return locate(options, overrides)


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


def kinds_named(words: Sequence[str]) -> tuple[ProfileKind, ...]:
    """Return the kinds of events that these words name, each once.

    Raises:
        TypeError: the words are one text.
        UsageError: one of them names no kind.
    """
    if isinstance(words, str):
        raise TypeError(f'kinds must be a list of words, as ["allocation", "cpu"], got {words!r}')
    known = {kind.value: kind for kind in ProfileKind}
    for word in words:
        if word not in known:
            raise UsageError(f"each of kinds must be one of {', '.join(known)}, got {word!r}")
    return tuple(dict.fromkeys(known[word] for word in words))


def exclude(**specified: object) -> None:
    """Raise UsageError if more than one of these arguments is specified, as on the command line."""
    names = [name for name, value in specified.items() if value]
    if len(names) > 1:
        raise UsageError(f"{' and '.join(names)} exclude each other")
