"""A project: its configuration, its runs and its oracles, and all that is known about a test.

:class:`Files` says where the three are. Of a test, later sources override earlier ones: the built-in
defaults, the target in the oracle, the configuration (which replaces the oracle's target if it has a command
for the test), and the :class:`Overrides` of one call.
"""

from __future__ import annotations

import difflib
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Self, cast

from msgspec import Struct, field, structs

from buto import oracle
from buto.actions.events import Reporter, ignore
from buto.actions.launcher import Launcher
from buto.actions.workspace import KnownOracle, Workspace
from buto.errors import BadFileError, ButoError, StorageError, UsageError
from buto.measure.target import PROCESS
from buto.oracle import Oracle
from buto.oracle.file import OracleFileError
from buto.project import config
from buto.project.document import LABELS_VARIABLE, portable
from buto.project.model import TestConfig, build_test, most_runs
from buto.project.options import AUTO, MEASURING, Measuring
from buto.project.yaml import complaints
from buto.run.cache import is_missing, stamp_of
from buto.run.masking import MASKED
from buto.run.names import decode_test, encode_test
from buto.run.storage import Place
from buto.run.store import RunStore
from buto.steps import EXAMPLE, Action, Advice, Configuration, Setting, Step, Usage


class Overrides(Struct, frozen=True):
    """What a call specifies; what is missing or None is left to the configuration.

    Attributes:
        command: how to start the program.
        alpha: share of checks of an unchanged program that may fail.
        options: how to launch and measure it.
    """

    command: tuple[str, ...] | None = None
    alpha: float | None = None
    options: Measuring = field(default_factory=Measuring)

    def variables(self) -> dict[str, str]:
        """Return what the call specifies in place of environment variables."""
        return {LABELS_VARIABLE: self.options["environment"]} if "environment" in self.options else {}

    def to_data(self) -> dict[str, Any]:
        """Return the overrides of launching and measuring, by the keys of a configuration."""
        data: dict[str, Any] = {}
        if self.command is not None:
            data["command"] = [portable(word, os.environ) for word in self.command]
        for name, value in self.options.items():
            option = MEASURING[name]
            if option.schema is not None:
                data[option.key] = value if option.to_key is None else option.to_key(value)
        return data


def measuring(specified: Mapping[str, Any]) -> Measuring:
    """Return what is specified of launching and measuring, without what is None or an empty list."""
    given = {name: specified.get(name) for name in MEASURING}
    return cast(Measuring, {name: value for name, value in given.items() if value not in (None, (), [])})


NO_OVERRIDES = Overrides()

_OF_A_JVM = {
    Action.WHY: "profiles a JVM",
    Action.GROW: "counts the live objects of a JVM",
    Action.SIZE: "looks for the smallest heap of a JVM",
}
"""What only a JVM can be asked, and what that does."""


def require_jvm(test: TestConfig, action: Action) -> None:
    """Raise UsageError if a test measures a process without a JVM, and the action needs one."""
    if test.target.collector == PROCESS:
        raise UsageError(
            f"{test.name}: {action.value} {_OF_A_JVM[action]}, and this test measures a process without one",
            advice=Advice("if the command starts a JVM, measure that: ", Setting("measure", "jvm")),
        )


STORE = Path(".buto")
ORACLES = Path("oracles")


class Files(Struct, frozen=True):
    """The files of a project.

    Attributes:
        configuration: the given file; None for the one in the current directory.
        has_configuration: whether there is a configuration, given or found.
        root: the directory of the configuration; without one, the current directory.
        store: where runs are kept.
        oracle: the given oracle file; None for ``oracles/NAME.json`` below the root.
        programs: where programs are kept; None for the store.
    """

    configuration: Path | None
    has_configuration: bool
    root: Path
    store: Place
    oracle: Path | None
    programs: Place | None = None

    @classmethod
    def locate(
        cls, configuration: Path | None = None, store: Place | None = None, oracle: Path | None = None
    ) -> Self:
        """Return the files of a project; those not given are located next to the configuration."""
        path = config.find(configuration, Path())
        root = Path() if path is None else path.parent
        return cls(configuration, path is not None, root, root / STORE if store is None else store, oracle)

    def oracle_of(self, test: str) -> Path:
        return self.oracle or self.root / ORACLES / f"{encode_test(test)}.json"

    def find_trained(self) -> list[str]:
        """Return the tests that have an oracle where those of this project are, by name."""
        tests = (decode_test(path.stem) for path in sorted((self.root / ORACLES).glob("*.json")))
        return [test for test in tests if test is not None]

    def oracles_of(self, test: str) -> set[Path]:
        """Return the files that may have a test's oracle: in this project, and beside the store."""
        here = self.oracle_of(test)
        return {here, self.store.parent / here} if isinstance(self.store, Path) else {here}

    def read_configuration(self) -> config.Config | None:
        """Read the configuration; None without one."""
        path = config.find(self.configuration, Path())
        return None if path is None else config.load(path)


class Project(Struct, frozen=True):
    """The files of a project and its configuration.

    Attributes:
        files: of this project.
        configuration: the configuration that was read; None without a file.
        scheduler: the address of the scheduler on whose hosts programs are launched; empty for this machine.
    """

    files: Files
    configuration: config.Config | None
    scheduler: str = ""

    @property
    def store(self) -> RunStore:
        return RunStore(self.files.store)

    def workspace(self) -> Workspace:
        """Return what launches and verdicts need of the project, when its tests are resolved."""
        tests = {} if self.configuration is None else self.configuration.tests
        windows = {name: test.window for name, test in tests.items()}
        limits = {name: test.limit_bytes for name, test in tests.items()}
        places = (self.files.root, self._base, windows, self.files.oracle_of)
        return Workspace(self.files.store, *places, programs=self.files.programs, limits=limits)

    def launcher(self, reporter: Reporter = ignore) -> Launcher:
        """Return what launches in this project, and reports to somebody."""
        return Launcher(self.workspace(), reporter, self.scheduler)

    @property
    def _base(self) -> Path | None:
        return None if self.configuration is None else self.configuration.path.parent.resolve()

    def oracle_path(self, test: str) -> Path:
        """Return the path of a test's oracle, whether it exists or not."""
        return self.files.oracle_of(test)

    def find_test(self, test: str) -> TestConfig | None:
        """Return the configured test; None if the configuration has no such test."""
        return None if self.configuration is None else self.configuration.tests.get(test)

    def names(self, specified: Sequence[str], action: Action, overrides: Overrides) -> list[str]:
        """Return the tests that were specified, or all of the configuration.

        Raises:
            UsageError: no test was given and there is no configuration, a test was given twice, or a
                command or an oracle was given for several tests.
        """
        names = list(specified)
        if not names and self.configuration is None:
            raise UsageError(
                f"no test was named, and there is no {config.FILE_NAME} here",
                advice=Advice(self._example(action)),
            )
        if not names and self.configuration is not None:
            names = list(self.configuration.tests)
        if len(set(names)) < len(names):
            raise UsageError(f"each test must be named once, got {' '.join(names)}")
        for test in names:
            encode_test(test)
        for key, specific in {"command": overrides.command, "oracle": self.files.oracle}.items():
            if specific is not None and len(names) > 1:
                text = f" needs exactly one test, got {len(names)}: {', '.join(names)}"
                alone = Step(action, names[0])
                raise UsageError(
                    Advice(Setting(key), text), advice=Advice("name the one that is meant: ", alone)
                )
        return names

    def _example(self, action: Action) -> Step:
        """Return how to name a test: the first one that has an oracle here, which knows its command."""
        release = "VERSION" if action is Action.RELEASE else ""
        trained = self.files.find_trained()
        if trained and action is not Action.TRAIN:
            return Step(action, trained[0], release=release, plain=True)
        command = () if action is Action.RELEASE else EXAMPLE
        return Step(action, "NAME", release=release, command=command, plain=True)

    def oracle(self, test: str, action: Action, alpha: float | None = None) -> Oracle:
        """Return the oracle of a test.

        Args:
            alpha: replaces the oracle's own alpha; None for the oracle's own.

        Raises:
            BadFileError: there is no oracle (the advice is the step that creates one), or it is damaged.
            UsageError: the file is the oracle of another test, or the configuration has a test whose name
                is nearly this one.
        """
        path = self.oracle_path(test)
        if is_missing(path):
            if self.configuration is not None and self.find_test(test) is None and self._near(test):
                raise self._no_command(test, action)
            train = Step(Action.TRAIN, test, command=("java", "..."))
            lacks = self.configuration is not None and self.find_test(test) is None
            raise BadFileError(
                Advice(f"{test!r} has no oracle yet: ", path, " does not exist"),
                advice=self._name_the_configured(train) if lacks else Advice(train),
            )
        try:
            known_oracle = oracle.load(path, thorough=action is Action.CHECK)
        except OracleFileError as error:
            again = Step(Action.TRAIN, test)
            raise BadFileError(error.message, advice=Advice(error.remedy, again)) from error
        if known_oracle.test != test:
            raise UsageError(
                f"{path} is the oracle of {known_oracle.test!r}, not of {test!r}",
                advice=Advice(Step(action, known_oracle.test)),
            )
        return known_oracle if alpha is None else oracle.at_alpha(known_oracle, alpha)

    def load_known(self, test: str, action: Action, alpha: float | None = None) -> KnownOracle:
        """Return the oracle of a test with its file and its command; see :meth:`oracle`."""
        path = self.oracle_path(test)
        stamp = stamp_of(path.resolve())
        known_oracle = self.oracle(test, action, alpha)
        read = partial(self.load_known, test, action, alpha)
        return KnownOracle(known_oracle, path, self._usual_command(known_oracle), stamp, read)

    def _usual_command(self, known: Oracle) -> str | None:
        """Return the configured command or that of the oracle, with secrets masked; None if unknown."""
        try:
            target = self.test(known.test, Action.ACCEPT, NO_OVERRIDES, known).target
        except ButoError:
            return None
        return target.new_mask().command(target.command)

    def find_oracle(self, test: str, action: Action, overrides: Overrides) -> Oracle | None:
        """Return the oracle of a test for the target that it stores; None without one.

        It is not read if a command is given or configured: a damaged oracle must not prevent its test from
        being trained again.
        """
        if overrides.command is not None or self._has_command(test) or is_missing(self.oracle_path(test)):
            return None
        return self.oracle(test, action)

    def test(
        self,
        name: str,
        action: Action,
        overrides: Overrides,
        known: Oracle | None,
        runs: int | str | None = None,
    ) -> TestConfig:
        """Return a test with all that the call, the configuration and its oracle specify.

        Args:
            runs: number of training runs, ``auto`` for as many as sharpen the oracle; None for the
                number in the configuration.

        Raises:
            UsageError: no command is known for the test, or a value is not valid.
            BadFileError: the oracle has no usable target.
        """
        ours = self.find_test(name)
        directory: Path | None = None
        merged: dict[str, Any] = {}
        if known is not None and not self._has_command(name):
            merged = {**self._keys_of_oracle(known, overrides, action)}
            # They are of the machine that trained.
            merged.pop("labels", None)
        if self.configuration is not None and ours is not None:
            merged |= ours.written
            directory = self._base
        specified = overrides.to_data()
        faults = complaints(specified, "test")
        if faults:
            raise UsageError("\n".join(faults), advice=Advice(Usage(action)))
        merged |= specified
        if "command" not in merged:
            raise self._no_command(name, action)
        variables = {**os.environ, **overrides.variables()}
        built = build_test(name, merged, directory, variables)
        if action in _OF_A_JVM:
            require_jvm(built, action)
        base = ours or built
        adaptive = runs == AUTO or (runs is None and base.adaptive)
        settings = base.settings
        if overrides.alpha is not None:
            settings = oracle.with_alpha(settings, overrides.alpha)
        number = most_runs(settings) if adaptive else int(runs or base.runs)
        return replace(
            built,
            runs=number,
            release=base.release,
            budget=base.budget,
            limit_bytes=base.limit_bytes,
            settings=settings,
            adaptive=adaptive,
            inputs=base.inputs,
            keep_bytes=base.keep_bytes,
            explains=base.explains,
            no_growth=base.no_growth,
            program=base.program,
        )

    def check_oracles_writable(self, names: Sequence[str]) -> None:
        """Raise StorageError, before any launch, if an oracle could not be written."""
        for path in map(self.oracle_path, names):
            there = next(parent for parent in (path, *path.parents) if not is_missing(parent))
            # The file must not be a directory, and its parent must be one: a new file takes its place.
            in_the_way = os.path.isdir(there) == (there == path)
            place = there.parent if there == path else there
            if in_the_way or not all(
                os.access(inner, os.W_OK, effective_ids=True) for inner in (there, place)
            ):
                raise StorageError(
                    f"the oracle {path} cannot be written: {there} is in the way, or not writable",
                    advice=Advice("make it writable, or name another place: ", Setting("oracle", "FILE")),
                )

    def _has_command(self, test: str) -> bool:
        """Return whether the configuration has a command for a test; it may leave that to the call."""
        ours = self.find_test(test)
        return ours is not None and bool(ours.target.command)

    def _keys_of_oracle(self, known: Oracle, overrides: Overrides, action: Action) -> Mapping[str, Any]:
        faults = complaints(known.target, "test")
        path = self.oracle_path(known.test)
        if faults:
            raise BadFileError(
                f"{path}: its target cannot be used: {faults[0]}",
                advice=Advice(Step(Action.TRAIN, known.test, command=("...",), plain=True)),
            )
        specified = {} if overrides.command is None else {"command": None}
        if MASKED in json.dumps({**known.target, **specified}, ensure_ascii=False):
            again = Step(action, known.test, command=("...",), plain=True)
            raise UsageError(
                f"{path} has no complete command for {known.test!r}: a secret in the command was masked",
                advice=Advice(
                    "give the command again: ",
                    again,
                    f", or configure it in {config.FILE_NAME}, with a variable in place of the secret: "
                    "${NAME}",
                ),
            )
        return known.target

    def _name_the_configured(self, step: Step) -> Advice:
        """Return the advice on a test that the configuration does not have."""
        assert self.configuration is not None
        return Advice(
            Configuration(),
            f" has no such test, only {', '.join(self.configuration.tests)}; to train another: ",
            structs.replace(step, plain=True),
        )

    def _near(self, test: str) -> list[str]:
        tests = () if self.configuration is None else self.configuration.tests
        return difflib.get_close_matches(test, list(tests), n=1)

    def _no_command(self, test: str, action: Action) -> UsageError:
        short = Step(action, test, command=("java", "..."), plain=True)
        if self.configuration is None:
            return UsageError(
                f"no command is known for {test!r}: it has no oracle, and there is no {config.FILE_NAME} "
                "here",
                advice=Advice(structs.replace(short, command=EXAMPLE)),
            )
        path = self.configuration.path
        if self.find_test(test) is not None:
            return UsageError(
                f"{path}: the test {test!r} has no command, and neither has its oracle",
                advice=Advice("add one, command: [java, ...], or: ", short),
            )
        near = self._near(test)
        guess = f"did you mean {near[0]!r}?" if near else f"it has {', '.join(self.configuration.tests)}"
        meant = Step(action, near[0], plain=True) if near else short
        return UsageError(f"{path} has no test {test!r}; {guess}", advice=Advice(meant))
