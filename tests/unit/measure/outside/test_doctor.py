"""What the doctor says of a machine whose kernel gives less than others."""

from __future__ import annotations

import pytest

from buto.measure import doctor
from buto.measure.account import KINDS, ProcessorEvents, no_event
from buto.measure.doctor import Health, check_process_files, check_processor_events
from buto.measure.procfs import ProcError, ProcessFiles


def test_here_everything_of_a_process_can_be_read() -> None:
    check = check_process_files()
    assert check.level is Health.OK
    assert "context switches" in check.detail


def test_what_cannot_be_read_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def pss(self: ProcessFiles) -> int:
        raise ProcError("/proc/1/smaps_rollup cannot be read: Permission denied")

    monkeypatch.setattr(ProcessFiles, "pss", pss)
    check = check_process_files()
    assert check.level is Health.WARNING
    assert check.detail == "no proportional memory: /proc/1/smaps_rollup cannot be read: Permission denied"


@pytest.mark.parametrize(
    ("error", "level", "words"),
    [
        (2, Health.OK, "this processor has no counter of instructions"),
        (13, Health.WARNING, "does not allow to count instructions"),
    ],
    ids=["no counters", "not allowed"],
)
def test_counters_of_the_processor(
    monkeypatch: pytest.MonkeyPatch, error: int, level: Health, words: str
) -> None:
    class NotHere(ProcessorEvents):
        @classmethod
        def of_this_process(cls, kinds: object = KINDS) -> NotHere:
            return cls({kind: no_event(kind, error) for kind in KINDS})

    monkeypatch.setattr(doctor, "ProcessorEvents", NotHere)
    check = check_processor_events()
    assert check.level is level
    assert words in check.detail
    assert (check.advice is None) == (level is Health.OK)


def test_counters_that_are_there_are_said_to_be(monkeypatch: pytest.MonkeyPatch) -> None:
    class Here(ProcessorEvents):
        @classmethod
        def of_this_process(cls, kinds: object = KINDS) -> Here:
            return cls(dict.fromkeys(KINDS, 0))

        def count(self, kind: object) -> float:
            return 0.0

        def close(self) -> None:
            pass

    monkeypatch.setattr(doctor, "ProcessorEvents", Here)
    check = check_processor_events()
    assert (check.level, check.detail) == (Health.OK, "instructions and cycles can be counted")
