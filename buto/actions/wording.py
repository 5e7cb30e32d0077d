"""How results, events and errors of actions are put into the words of the front end that was called.

Each front end (command line, pytest, a build, Python) has words of its own for next steps and settings.
Actions know none of them: what they return, report and raise has :class:`buto.steps.Advice`. The front end
passes it through one of these functions before it shows it. What is in words already stays as it is.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

from msgspec import structs

from buto.actions.events import (
    Accepted,
    Event,
    Failed,
    GivenUp,
    Judged,
    LaunchRepeated,
    Shown,
    Told,
    Trained,
    Warned,
)
from buto.actions.outcome import CallOutcome
from buto.judging.verdict import Verdict
from buto.project import config
from buto.report.result import Result
from buto.steps import Action, Advice, Configuration, Part, Setting, Step, Usage


class FrontEnd(ABC):
    """The interface that a user called; it writes next steps as the user has to type them.

    Attributes:
        configuration: the name of the place where tests are configured.
        more: what shows more of a list that was cut.
    """

    __slots__ = ()
    configuration: ClassVar[str] = config.FILE_NAME
    more: ClassVar[str] = "-v"

    def words(self, text: str) -> str:
        """Return a text in the words of this front end; one that is no :class:`Advice` as it is."""
        return text.in_words(self._part) if isinstance(text, Advice) else text

    def step(self, step: Step) -> str:
        """Return a step as the user writes it, complete and quoted, with what it is for."""
        written = self.write(step)
        return f"{written}  # {step.why}" if step.why else written

    def offers(self, step: Step) -> bool:
        """Return whether this front end has a short way for a step; others are not among what to do next."""
        return True

    @abstractmethod
    def write(self, step: Step) -> str:
        """Return a step as the user writes it, complete and quoted."""

    @abstractmethod
    def setting(self, key: str, value: str) -> str:
        """Return a key of a test's configuration with a value, as ``--runs 10`` or ``runs=10``."""

    @abstractmethod
    def name(self, key: str) -> str:
        """Return the name of a key of a test's configuration, as ``--oracle``."""

    def usage(self, action: Action) -> str:
        """Return where the user finds the usage of an action."""
        return str(Usage(action))

    def path(self, path: Path) -> str:
        """Return a path as the user would write it."""
        return str(path)

    def _part(self, part: Part) -> str:
        match part:
            case Step():
                return self.step(part)
            case Setting(key, value):
                return self.setting(key, value) if value else self.name(key)
            case Usage(action):
                return self.usage(action)
            case Configuration():
                return self.configuration
            case Path():
                return self.path(part)
            case _:
                return part


def word_outcome(outcome: CallOutcome, front_end: FrontEnd) -> CallOutcome:
    """Return the outcome of a call in the words of a front end."""
    parent = None if outcome.parent is None else word_result(outcome.parent, front_end)
    results = [word_result(result, front_end) for result in outcome.results]
    return replace(outcome, results=results, parent=parent)


def word_result(result: Result, front_end: FrontEnd) -> Result:
    """Return a result in the words of a front end; its error is changed itself."""
    words = front_end.words
    if result.error is not None:
        result.error.rephrase(words)
    verdict, report = result.verdict, result.report
    if verdict is not None:
        verdict = _word_verdict(verdict, front_end)
    if report is not None and verdict is not None:
        offered = [step for step in report.next_steps if _is_offered(step, front_end)]
        steps = tuple(map(words, offered or report.next_steps[-1:]))
        report = replace(report, verdict=verdict, again=words(report.again), next_steps=steps)
    return replace(result, verdict=verdict, report=report, warnings=tuple(map(words, result.warnings)))


def _is_offered(text: str, front_end: FrontEnd) -> bool:
    steps = [part for part in text.parts if isinstance(part, Step)] if isinstance(text, Advice) else []
    return all(map(front_end.offers, steps))


def _word_verdict(verdict: Verdict, front_end: FrontEnd) -> Verdict:
    reasons, warnings = (tuple(map(front_end.words, texts)) for texts in (verdict.reasons, verdict.warnings))
    return replace(verdict, reasons=reasons, warnings=warnings)


def word_event(event: Event, front_end: FrontEnd) -> Event:
    """Return an event in the words of a front end; its error is changed itself."""
    match event:
        case Told(text=text) | Warned(text=text):
            return structs.replace(event, text=front_end.words(text))
        case Shown(result, train):
            return Shown(word_result(result, front_end), front_end.words(train))
        case Judged(result) | Failed(result) | Trained(result) | Accepted(result):
            return structs.replace(event, result=word_result(result, front_end))
        case GivenUp(error=error) | LaunchRepeated(error=error):
            error.rephrase(front_end.words)
    return event
