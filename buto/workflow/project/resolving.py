"""A project: its configuration, its runs and its oracles, and all that is known about a test.

Later sources override earlier ones: the built-in defaults, the target in the oracle, the configuration
(which replaces the oracle's target if it has a command for the test), and the overrides of the call.
"""

from __future__ import annotations

import difflib
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from buto import config, oracle
from buto.errors import BadFileError, StorageError, UsageError
from buto.options import AUTO
from buto.oracle import Oracle
from buto.oracle.persist import OracleFileError
from buto.runs.files.reading import is_missing
from buto.runs.masking import MASKED
from buto.runs.names import encode_test
from buto.runs.store import RunStore
from buto.steps import EXAMPLE, Action, Step
from buto.workflow.advice.door import Door
from buto.workflow.project.files import Files
from buto.workflow.project.overrides import Overrides

if TYPE_CHECKING:
    from buto.profiles.store import ProfileStore
    from buto.programs.store import ProgramStore


@dataclass(frozen=True, slots=True)
class Project:
    """The files of a project, its configuration, and the door that words advice.

    Attributes:
        files: of this project.
        configuration: the configuration that was read; None without a file.
        door: the interface that the user called.
        scheduler: the address of the scheduler on whose hosts programs are launched; empty for this machine.
    """

    files: Files
    configuration: config.Config | None
    door: Door
    scheduler: str = ""

    @property
    def store(self) -> RunStore:
        """Return the store of runs."""
        return RunStore(self.files.store)

    @property
    def programs(self) -> ProgramStore:
        """Return the store of the programs that tests were trained on."""
        # Imported here, as below: most commands ask for neither.
        from buto.programs.store import ProgramStore

        return ProgramStore(self.files.store)

    @property
    def profiles(self) -> ProfileStore:
        """Return the store of the profiles of programs."""
        from buto.profiles.store import ProfileStore

        return ProfileStore(self.files.store)

    def oracle_path(self, test: str) -> Path:
        """Return the path of a test's oracle, whether it exists or not."""
        return self.files.oracle_of(test)

    def configured(self, test: str) -> config.TestConfig | None:
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
                advice=self.door.step(Step(action, "NAME", command=EXAMPLE, plain=True)),
            )
        if not names and self.configuration is not None:
            names = list(self.configuration.tests)
        if len(set(names)) < len(names):
            raise UsageError(f"each test must be named once, got {' '.join(names)}")
        for test in names:
            encode_test(test)
        for key, specific in {"command": overrides.command, "oracle": self.files.oracle}.items():
            if specific is not None and len(names) > 1:
                raise UsageError(
                    f"{self.door.name(key)} needs exactly one test, got {len(names)}: {', '.join(names)}"
                )
        return names

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
            if self.configuration is not None and self.configured(test) is None and self._near(test):
                raise self._no_command(test, action)
            raise BadFileError(
                f"{test!r} has no oracle yet: {self.door.path(path)} does not exist",
                advice=self.door.step(Step(Action.TRAIN, test, command=("java", "..."))),
            )
        found = self._loaded(path, test)
        if found.test != test:
            raise UsageError(
                f"{path} is the oracle of {found.test!r}, not of {test!r}",
                advice=self.door.step(Step(action, found.test)),
            )
        return found if alpha is None else oracle.at_alpha(found, alpha)

    def _loaded(self, path: Path, test: str) -> Oracle:
        try:
            return oracle.load(path)
        except OracleFileError as error:
            again = Step(Action.ACCEPT if error.in_conflict else Action.TRAIN, test)
            raise BadFileError(error.message, advice=f"{error.remedy}{self.door.step(again)}") from error

    def known_oracle(self, test: str, action: Action, overrides: Overrides) -> Oracle | None:
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
    ) -> config.TestConfig:
        """Return a test with all that the call, the configuration and its oracle specify.

        Args:
            runs: number of training runs, ``auto`` for as many as sharpen the oracle; None for the
                number in the configuration.

        Raises:
            UsageError: no command is known for the test, or a value is not valid.
            BadFileError: the oracle has no usable target.
        """
        ours = self.configured(name)
        directory: Path | None = None
        merged: dict[str, Any] = {}
        if known is not None and not self._has_command(name):
            merged = {**self._remembered(known, overrides, action)}
            # They are of the machine that trained.
            merged.pop("labels", None)
        if self.configuration is not None and ours is not None:
            merged |= ours.written
            directory = self.configuration.path.parent.resolve()
        merged |= self._specified(overrides, action)
        if "command" not in merged:
            raise self._no_command(name, action)
        variables = {**os.environ, **overrides.variables()}
        built = config.build_test(name, merged, directory, variables)
        base = ours or built
        adaptive = runs == AUTO or (runs is None and base.adaptive)
        settings = base.settings
        if overrides.alpha is not None:
            settings = oracle.with_alpha(settings, overrides.alpha)
        number = config.most_runs(settings) if adaptive else int(runs or base.runs)
        return replace(
            built,
            runs=number,
            settings=settings,
            adaptive=adaptive,
            inputs=base.inputs,
            keep_bytes=base.keep_bytes,
            program=base.program,
        )

    def check_oracles_writable(self, names: Sequence[str]) -> None:
        """Raise StorageError, before any launch, if an oracle could not be written."""
        for path in map(self.oracle_path, names):
            there = next(parent for parent in (path, *path.parents) if not is_missing(parent))
            # The file must not be a directory, and its parent must be one.
            in_the_way = os.path.isdir(there) == (there == path)
            if in_the_way or not os.access(there, os.W_OK):
                raise StorageError(
                    f"the oracle {path} cannot be written: {there} is in the way, or not writable",
                    advice=f"make it writable, or name another place: {self.door.setting('oracle', 'FILE')}",
                )

    def _has_command(self, test: str) -> bool:
        """Return whether the configuration has a command for a test; it may leave that to the call."""
        ours = self.configured(test)
        return ours is not None and bool(ours.target.command)

    def _specified(self, overrides: Overrides, action: Action) -> dict[str, Any]:
        specified = overrides.to_data()
        faults = config.complaints(specified, "test")
        if faults:
            raise UsageError("\n".join(faults), advice=self.door.usage(action))
        return specified

    def _remembered(self, known: Oracle, overrides: Overrides, action: Action) -> Mapping[str, Any]:
        faults = config.complaints(known.target, "test")
        path = self.oracle_path(known.test)
        if faults:
            raise BadFileError(
                f"{path}: its target cannot be used: {faults[0]}",
                advice=self.door.step(Step(Action.TRAIN, known.test, command=("...",), plain=True)),
            )
        specified = {} if overrides.command is None else {"command": None}
        if MASKED in json.dumps({**known.target, **specified}, ensure_ascii=False):
            again = self.door.step(Step(action, known.test, command=("...",), plain=True))
            raise UsageError(
                f"{path} has no complete command for {known.test!r}: a secret in the command was masked",
                advice=f"give the command again: {again}, or configure it in {config.FILE_NAME}, with a "
                "variable in place of the secret: ${NAME}",
            )
        return known.target

    def _near(self, test: str) -> list[str]:
        tests = () if self.configuration is None else self.configuration.tests
        return difflib.get_close_matches(test, list(tests), n=1)

    def _no_command(self, test: str, action: Action) -> UsageError:
        short = Step(action, test, command=("java", "..."), plain=True)
        if self.configuration is None:
            return UsageError(
                f"no command is known for {test!r}: it has no oracle, and there is no {config.FILE_NAME} "
                "here",
                advice=self.door.step(replace(short, command=EXAMPLE)),
            )
        path = self.configuration.path
        if self.configured(test) is not None:
            return UsageError(
                f"{path}: the test {test!r} has no command, and neither has its oracle",
                advice=f"add one, command: [java, ...], or: {self.door.step(short)}",
            )
        near = self._near(test)
        guess = f"did you mean {near[0]!r}?" if near else f"it has {', '.join(self.configuration.tests)}"
        meant = Step(action, near[0], plain=True) if near else short
        return UsageError(f"{path} has no test {test!r}; {guess}", advice=self.door.step(meant))
