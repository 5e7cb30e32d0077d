"""Next steps, written as commands, or for the build tool that started buto."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

from msgspec import Struct, structs

from buto.actions.project import NO_OVERRIDES, STORE, Files, Overrides
from buto.actions.wording import FrontEnd
from buto.project.options import flag, is_only_configured
from buto.run.masking import Mask
from buto.steps import Action, Step


@dataclass(frozen=True, slots=True)
class CommandLineFrontEnd(FrontEnd):
    """The front end of a user who typed ``buto``.

    Attributes:
        files: of the project; named again in every command.
        overrides: options that were typed; repeated in every command.
        masks: further patterns for names of secrets.
        typed: the words of this call after ``buto``, without the program's command.
    """

    files: Files
    overrides: Overrides = NO_OVERRIDES
    masks: tuple[str, ...] = ()
    typed: tuple[str, ...] = ()

    def write(self, step: Step) -> str:
        match step.action:
            case Action.DOCTOR | Action.SCHEMA:
                return shlex.join(step.words())
            case Action.ATTACH:
                # Only a call of attach can advise it, and then as it was typed.
                return Mask(self.masks).command(["buto", *(self.typed or ("attach",))])
            case Action.LIST_RUNS | Action.SHOW_RUN | Action.DELETE_RUN:
                return shlex.join([*step.words(), *self._store()])
            case Action.PLOT:
                files = self._options(oracle=self.files.oracle, config=self.files.configuration)
                runs = self._options(from_runs=step.from_runs)
                return shlex.join(["buto", "plot", step.test, *files, *runs, *self._store()])
            case Action.COMPARE if step.against is not None:
                return self._compare(step, step.against)
            case Action.RECORD | Action.LABEL:
                return self._again(step, self._options(config=self.files.configuration))
            case _:
                places = self._options(oracle=self.files.oracle, config=self.files.configuration)
                if step.action is Action.COMPARE:
                    places += self._alpha()
                return self._again(step, places)

    def setting(self, key: str, value: str) -> str:
        if is_only_configured(key):
            return f"{key}: {value}, at the test in {self.configuration}{self._find_writer()}"
        return f"{flag(key)} {shlex.quote(value)}"

    def name(self, key: str) -> str:
        return "a command after --" if key == "command" else flag(key)

    def _find_writer(self) -> str:
        """Return what writes a configuration, if there is none."""
        if self.files.has_configuration:
            return ""
        command = self.overrides.command
        words = Mask(self.masks).command(["buto", "init", *(("--", *command) if command else ())])
        return f", which {words} writes"

    def _compare(self, step: Step, against: str) -> str:
        command = ["--", *step.command] if step.command else []
        words = ["buto", "compare", step.test, *command, "--against", against, *command]
        if step.from_runs is not None:
            words += [*self._options(from_runs=step.from_runs), *self._store()]
            words += [*self._alpha(), "--html", "report.html"]
        return shlex.join(words)

    def _again(self, step: Step, places: list[str]) -> str:
        """Return a command about the same program, with the options of this call except secrets.

        Args:
            places: options with the files that this action uses, apart from the store.
        """
        words = [*step.words(), *self._options(runs=step.runs, from_runs=step.from_runs)]
        words += [*places, *self._store()]
        if step.plain:
            return Mask(self.masks).command([*words, *(("--", *step.command) if step.command else ())])
        typed = self.overrides
        for name, value in typed.options.items():
            for word in value if isinstance(value, list | tuple) else [value]:
                words += [flag(name), str(word)]
        configured = self.files.has_configuration
        command = typed.command or (() if configured else step.command)
        return Mask(self.masks).command([*words, *(("--", *command) if command else ())])

    def _store(self) -> list[str]:
        return [] if self.files.store == STORE else self._options(store=self.files.store)

    def _alpha(self) -> list[str]:
        alpha = self.overrides.alpha
        return [] if alpha is None else self._options(alpha=f"{alpha:g}")

    def _options(self, **values: object) -> list[str]:
        """Return options with their values; those that are None are left out."""
        return [
            word for key, value in values.items() if value is not None for word in (flag(key), str(value))
        ]


DOOR = "BUTO_DOOR"
"""The environment variable in which a build tool gives its name, one of BUILDS."""

DOOR_WORDS = "BUTO_DOOR_WORDS"
"""The environment variable with words, quoted for a shell, that follow each of its commands."""

DOOR_PROGRAM = "BUTO_DOOR_PROGRAM"
"""The environment variable with what starts the build tool, as ``./mvnw``; without it, its name."""

DOOR_GOALS = "BUTO_DOOR_GOALS"
"""The environment variable with what precedes an action in a goal, where that is not the usual name."""

DOOR_PLACE = "BUTO_DOOR_PLACE"
"""The environment variable with the directory in which the build was typed, and in which advice is typed."""

_SETTABLE = ("runs", "alpha", "oracle", "store")
"""The keys of buto's settings that each build tool has, too."""

_LAUNCHING = (Action.TRAIN, Action.CHECK, Action.ACCEPT)

_WITHOUT_PROGRAM = (
    Action.SHOW_RUN,
    Action.LIST_RUNS,
    Action.DELETE_RUN,
    Action.PLOT,
    Action.DOCTOR,
    Action.SCHEMA,
)
"""What is short on the command line."""


class Caller(Struct, frozen=True):
    """How the user calls a build tool.

    Attributes:
        program: what starts it.
        goals: what precedes an action in the name of a goal.
    """

    program: str
    goals: str = "buto"


class BuildTool(Struct, frozen=True):
    """How to write actions and settings for a build tool.

    Attributes:
        program: what starts the build tool where a project has no wrapper of its own.
        launch: from how the build tool is called, an action, a test and settings as words to all words that
            carry it out; an empty test means all.
        setting: from the name and the value of a setting of the build tool to the word that sets it.
    """

    program: str
    launch: Callable[[Caller, Action, str, list[str]], list[str]]
    setting: Callable[[str, str], str]

    def sets(self, key: str, value: str) -> str | None:
        """Return the word that sets one of buto's settings; None if the build tool cannot."""
        own = {"oracle": "oracles"}.get(key, key)
        return self.setting(own, value) if key in _SETTABLE else None


def _maven(caller: Caller, action: Action, test: str, settings: list[str]) -> list[str]:
    goal = f"{caller.goals}:{action.value}"
    return [caller.program, "package", goal, *([f"-Dbuto.test={test}"] if test else []), *settings]


def _gradle(caller: Caller, action: Action, test: str, settings: list[str]) -> list[str]:
    task = f"buto{action.value.title()}"
    return [caller.program, task, *([f"-Pbuto.test={test}"] if test else []), *settings]


def _junit_in_maven(caller: Caller, action: Action, test: str, settings: list[str]) -> list[str]:
    mode = [] if action is Action.CHECK else [f"-Dbuto.{action.value}=true"]
    class_name, method = _scenario(test)
    return [caller.program, "test", *mode, *([f"-Dtest={class_name}#{method}"] if test else []), *settings]


def _junit_in_gradle(caller: Caller, action: Action, test: str, settings: list[str]) -> list[str]:
    # Gradle passes no system properties on to the JVM of the tests, so all settings are variables.
    variables = [*([] if action is Action.CHECK else [f"BUTO_{action.name}=true"]), *settings]
    class_name, method = _scenario(test)
    # The task is up to date after a test that passed, as all do that were trained.
    chosen = ["--tests", f"{class_name}.{method}"] if test else []
    return [*(["env", *variables] if variables else []), caller.program, "cleanTest", "test", *chosen]


def _scenario(test: str) -> tuple[str, str]:
    """Return class and method of a test that JUnit named ``package.Outer.Inner.method``."""
    *names, method = test.split(".")
    outer = next((place for place, name in enumerate(names) if name[:1].isupper()), len(names) - 1)
    return ".".join([*names[:outer], "$".join(names[outer:])]), method


BUILDS: Mapping[str, BuildTool] = {
    "maven": BuildTool("mvn", _maven, "-Dbuto.{}={}".format),
    "gradle": BuildTool("gradle", _gradle, "-Pbuto.{}={}".format),
    "junit-maven": BuildTool("mvn", _junit_in_maven, "-Dbuto.{}={}".format),
    "junit-gradle": BuildTool("gradle", _junit_in_gradle, lambda name, value: f"BUTO_{name.upper()}={value}"),
}


@dataclass(frozen=True, slots=True)
class InBuild(FrontEnd):
    """The front end of a user who runs a build.

    Attributes:
        build: the build tool.
        command_line: the front end for what the build tool cannot do, such as showing a run.
        typed: what was typed for this build and follows each of its commands, quoted for a shell.
        program: the command ``buto``, as the user can type it in a shell.
    tool: what starts the build tool, as the user can type it; empty for its name.
        pages: the page that the build writes, which draws what differs; empty if it writes none.
        goals: what precedes an action in the name of a goal; empty for the usual name.
        place: the directory in which the user types.
    """

    build: BuildTool
    command_line: CommandLineFrontEnd
    typed: str = ""
    program: str = "buto"
    tool: str = ""
    pages: str = ""
    goals: str = ""
    place: Path = Path()

    more: ClassVar[str] = "in the reports"

    def offers(self, step: Step) -> bool:
        # The page shows the runs, too.
        is_shown = bool(self.pages) and step.action is Action.SHOW_RUN
        return self._does(step) or (step.action in _WITHOUT_PROGRAM and not is_shown)

    def write(self, step: Step) -> str:
        if self.pages and step.action is Action.PLOT:
            return f"look at {self.pages}"
        if not self._does(step):
            return self.program + self._command_line(step).write(step).removeprefix("buto")
        settings = [] if step.runs is None else [self.setting("runs", str(step.runs))]
        settings += [self.build.setting("profile", "true")] if step.profile else []
        caller = Caller(self.tool or self.build.program, self.goals or "buto")
        return shlex.join(self.build.launch(caller, step.action, step.test, settings)) + self.typed

    def path(self, path: Path) -> str:
        return _relative(path, self.place)

    def _command_line(self, step: Step) -> CommandLineFrontEnd:
        """Return what writes a command for the place where the user types, unless it starts a program."""
        files = self.command_line.files
        if step.action not in _WITHOUT_PROGRAM or not isinstance(files.store, Path):
            return self.command_line
        store = Path(_relative(files.store, self.place))
        return replace(self.command_line, files=structs.replace(files, store=store))

    def _does(self, step: Step) -> bool:
        """Return whether the build tool carries out a step; else it is for the command line.

        It takes its own settings and launches anew where stored runs are meant.
        """
        if step.action is Action.WHY:
            return not step.against and not step.revisions
        return step.action in _LAUNCHING and not step.only and not step.release

    def setting(self, key: str, value: str) -> str:
        return self.build.sets(key, value) or f"{key}: {value}, at the test in {self.configuration}"

    def name(self, key: str) -> str:
        own = self.build.sets(key, "")
        return f"{key} in {self.configuration}" if own is None else own.rstrip("=")


def front_end_of(
    files: Files,
    overrides: Overrides = NO_OVERRIDES,
    masks: tuple[str, ...] = (),
    typed: tuple[str, ...] = (),
    pages: str = "",
) -> FrontEnd:
    """Return the front end of this call: the build tool named in the variable DOOR, or the command line.

    Args:
        typed: the words of the call, see :class:`CommandLineFrontEnd`.
        pages: that the call writes, see :class:`InBuild`.
    """
    command_line = CommandLineFrontEnd(files, overrides, masks, typed)
    build = BUILDS.get(os.environ.get(DOOR, ""))
    if build is None:
        return command_line
    program = "buto" if shutil.which("buto") else _executable()
    names = (DOOR_WORDS, DOOR_PROGRAM, DOOR_GOALS, DOOR_PLACE)
    typed_for_build, tool, goals, place = (os.environ.get(name, "") for name in names)
    page = _relative(Path(pages), Path(place)) if place else pages
    return InBuild(build, command_line, typed_for_build, program, tool, page, goals, Path(place))


def _relative(path: Path, place: Path) -> str:
    """Return a path as it is typed in a directory."""
    return str(path.relative_to(place) if path.is_relative_to(place) else path)


def _executable() -> str:
    """Return how buto was started, for a shell: a build tool may know where it is though PATH does not."""
    started = Path(sys.argv[0])
    if started.name != "__main__.py":
        return _below_home(started)
    # What starts the Python of a runtime is beside it.
    of_runtime = Path(sys.prefix).parent / "bin" / "buto"
    return _below_home(of_runtime) if of_runtime.is_file() else f"{_below_home(Path(sys.executable))} -m buto"


def _below_home(file: Path) -> str:
    """Return a path for a shell, which knows the user's own directory."""
    home = os.environ.get("HOME", "")
    if not home or not file.is_relative_to(home):
        return shlex.quote(str(file))
    return f"~/{shlex.quote(str(file.relative_to(home)))}"
