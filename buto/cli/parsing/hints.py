"""Next steps, written as commands."""

from __future__ import annotations

import shlex
from dataclasses import dataclass

from buto.options import flag
from buto.runs.masking import Mask
from buto.steps import Action, Step
from buto.workflow.advice.door import Door
from buto.workflow.project import NO_OVERRIDES, Overrides
from buto.workflow.project.files import STORE, Files


@dataclass(frozen=True, slots=True)
class CommandLine(Door):
    """The door of a user who typed ``buto``.

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

    def written(self, step: Step) -> str:
        match step.action:
            case Action.DOCTOR:
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
                return self._again(step, places)

    def setting(self, key: str, value: str) -> str:
        return f"{flag(key)} {shlex.quote(value)}"

    def name(self, key: str) -> str:
        return "a command after --" if key == "command" else flag(key)

    def _compare(self, step: Step, against: str) -> str:
        command = ["--", *step.command] if step.command else []
        words = ["buto", "compare", step.test, *command, "--against", against, *command]
        if step.from_runs is not None:
            alpha = None if self.overrides.alpha is None else f"{self.overrides.alpha:g}"
            words += [*self._options(from_runs=step.from_runs), *self._store()]
            words += [*self._options(alpha=alpha), "--html", "report.html"]
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
            for one in value if isinstance(value, list | tuple) else [value]:
                words += [flag(name), str(one)]
        configured = self.files.has_configuration
        command = typed.command or (() if configured else step.command)
        return Mask(self.masks).command([*words, *(("--", *command) if command else ())])

    def _store(self) -> list[str]:
        return [] if self.files.store == STORE else self._options(store=self.files.store)

    def _options(self, **values: object) -> list[str]:
        """Return options with their values; those that are None are left out."""
        return [
            word for key, value in values.items() if value is not None for word in (flag(key), str(value))
        ]
