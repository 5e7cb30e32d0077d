"""Any bytes for the readers of strangers' files: refused in words or read, never anything else.

A short look at each; ``python -m perf.fuzz`` takes a longer one, led by coverage.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from perf.fuzz import examples, speech
from perf.fuzz.edits import ByteSource, edited, edited_bytes
from perf.fuzz.readers import RAW, READERS

_quick = settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])


@pytest.fixture(scope="module")
def scratch() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as directory:
        yield Path(directory)


@pytest.mark.parametrize("name", READERS)
def test_the_examples_to_begin_with_are_read_or_refused(name: str, scratch: Path) -> None:
    taken = [READERS[name].read(seed, scratch) for seed in READERS[name].seeds]
    assert any(taken), "none of them shows what a good one looks like"


@pytest.mark.slow
@pytest.mark.parametrize("name", READERS)
def test_any_bytes_are_read_or_refused(name: str, scratch: Path) -> None:
    @settings(_quick)
    @given(st.binary(max_size=80))
    @example(b"\1")
    @example(RAW)
    def read(data: bytes) -> None:
        READERS[name].read(data, scratch)

    read()


@settings(_quick)
@given(st.binary(max_size=300))
def test_frames_of_right_lengths_are_heard_or_refused(scratch: Path, data: bytes) -> None:
    stream = b"".join(speech.GOOD[:5]) + speech.frame(data[0] % 10 if data else 9, data[1:])
    READERS["channel"].read(RAW + stream, scratch)


def test_an_edit_changes_a_copy() -> None:
    before = json.dumps(examples.CONFIG)
    changed = [edited(examples.CONFIG, ByteSource(bytes([number] * 30))) for number in range(60)]
    assert json.dumps(examples.CONFIG) == before
    assert sum(repr(copy) != repr(examples.CONFIG) for copy in changed) > 40
    assert edited(examples.CONFIG, ByteSource(b"")) == examples.CONFIG
    assert edited_bytes(b"content", ByteSource(b"")) == b"content"
    assert edited_bytes(b"content", ByteSource(bytes([0, 0, 2, 0]))) == b"co"


def test_what_a_reader_lets_through_is_seen(scratch: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The fuzzer's own check: of a run of another test a verdict must not come."""
    from buto import oracle

    class Passes:
        status = oracle.check(examples.oracle(), _set(examples.run(1))).status

    monkeypatch.setattr(oracle, "check", lambda known, runs: Passes())
    with pytest.raises(AssertionError):
        READERS["oracle"].read(b"\1", scratch)


def _set(run: object) -> object:
    from buto.run.model import run_set

    return run_set([run])  # type: ignore[list-item]
