"""Files of strangers that would take memory, time or others' files: refused at once, with exit code 4."""

from __future__ import annotations

import json
import math
import os
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from buto import oracle
from buto.errors import EXIT_BAD_FILE, EXIT_USAGE, BadFileError, ButoError, ConfigError, UsageError
from buto.judging.verdict import Status
from buto.measure.messages import ChannelError, FrameDecoder
from buto.project import config
from buto.report.history import entry_of
from buto.run import cache, format, journal, parquet, tables
from buto.run.entries import ResultStore
from buto.run.journal import JournalEntry
from buto.run.labels import LabelStore, labelling_of
from buto.run.model import run_set
from buto.run.properties import Property
from buto.run.store import RunStore
from perf.fuzz import examples, speech

RUN = examples.run(3)


def refused(read: Callable[[], object], says: str, code: int = EXIT_BAD_FILE) -> None:
    with pytest.raises(ButoError, match=says) as caught:
        read()
    assert caught.value.exit_code == code
    assert len(caught.value.message) < 2000


@pytest.fixture
def a_config(tmp_path: Path) -> Callable[[str], object]:
    def load(text: str) -> object:
        path = tmp_path / "buto.yaml"
        path.write_text(text)
        return config.load(path, {})

    return load


@pytest.mark.slow
def test_aliases_that_stand_for_billions_of_values(a_config: Callable[[str], object]) -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 10)]
    with pytest.raises(ConfigError, match="the file has over 100000 values"):
        a_config("\n".join(lines))


@pytest.mark.parametrize("text", ['a: "\\ud800"', '{"\\udfff": 1}'])
def test_half_a_character_in_a_configuration(a_config: Callable[[str], object], text: str) -> None:
    refused(lambda: a_config(text), r"buto.yaml:1:\d: a text that is not valid Unicode", EXIT_USAGE)


def test_merge_keys_that_stand_for_billions_of_pairs(a_config: Callable[[str], object]) -> None:
    lines = ["a0: &a0 {b: c}"]
    lines += [f"a{n}: &a{n} {{<<: [{', '.join([f'*a{n - 1}'] * 10)}]}}" for n in range(1, 20)]
    with pytest.raises(ConfigError, match="the file has over 100000 values"):
        a_config("\n".join(lines))


@pytest.mark.parametrize("place", ["/dev/zero", "pipe", "large"])
def test_a_configuration_or_an_oracle_that_never_ends(tmp_path: Path, place: str) -> None:
    path = tmp_path / place if place != "/dev/zero" else Path(place)
    if place == "pipe":
        os.mkfifo(path)
    if place == "large":
        with path.open("wb") as file:
            file.truncate(1 << 40)
    says = "larger than" if place == "large" else "not a regular file"
    refused(lambda: config.load(path, {}), says, EXIT_USAGE if place == "large" else EXIT_BAD_FILE)
    refused(lambda: oracle.load(path), says)


Change = Callable[[dict[str, Any]], object]


def an_oracle(tmp_path: Path, method: str = "calibrated") -> tuple[Path, dict[str, Any]]:
    path = tmp_path / "leaker.json"
    oracle.save(path, examples.oracle(method))
    return path, examples.whole(path)


def of_two_machines(data: dict[str, Any], first: int, second: int) -> None:
    """Make the model one of two machines, with as many runs."""
    data["model"] = {
        "machines": [
            {"environment": {}, "runs": 5, "model": {**data["model"], "n_runs": n}} for n in (first, second)
        ],
        "elsewhere": {},
        "left_out": {},
    }


def under_load(data: dict[str, Any]) -> None:
    """Make the model one of 10,000 properties under a load, each with one value for 100,000 observations."""
    block = {key: value for key, value in data["model"]["properties"][0].items() if key != "features"}
    properties = [{**block, "values": 1}] * 10_000
    data["model"] = {"observations": [10_000] * 10, "seconds": [1] * 10, "properties": properties}


@pytest.mark.parametrize(
    "change",
    [
        lambda data: data["model"].update(n_runs=100_000),
        lambda data: of_two_machines(data, 100_000, 6),
        lambda data: of_two_machines(data, 100_000, -100_000),
        under_load,
    ],
    ids=["runs", "machines", "balance", "load"],
)
def test_an_oracle_of_a_few_bytes_that_stands_for_more(tmp_path: Path, change: Change) -> None:
    path, data = an_oracle(tmp_path)
    first = data["model"]["properties"][0]
    data["model"]["properties"] = [{**first, "features": dict.fromkeys("abcde", 1)}] * 10_000
    change(data)
    examples.rewrite(path, data)
    refused(lambda: oracle.load(path), "stands for")


def test_bands_of_a_few_bytes_that_stand_for_more(tmp_path: Path) -> None:
    path, data = an_oracle(tmp_path, "thesis")
    constant = data["model"]["properties"][0]
    assert constant["lower"] == constant["upper"] == 450
    data["model"].update(properties=[constant] * 10_000, times_s=[0] * 10_000)
    examples.rewrite(path, data)
    refused(lambda: oracle.load(path), "stands for")


def refused_with(path: Path, data: dict[str, Any], place: str, value: Any, says: str) -> None:
    """Write an oracle with another value at a place, and expect it to be refused."""
    *parents, last = [int(key) if key.isdecimal() else key for key in place.split("/")]
    part: Any = data
    for key in parents:
        part = part[key]
    part[last] = value
    examples.rewrite(path, data)
    refused(lambda: oracle.load(path), says)


@pytest.mark.parametrize(
    ("place", "value", "says"),
    [
        ("environment/key", ["a list"], "'environment"),
        ("target", {"interval": math.inf}, "not JSON"),
        ("test", "\ud800", "not valid Unicode"),
        ("foreign_load", "-inf", "foreign_load"),
        ("model/n_runs", 10**400, "more than"),
        ("model/end_s", 10**400, "too large"),
        ("model/properties/1/features/largest", "1E310", "are not 6 numbers"),
        ("model/duration_s/total", None, "'NoneType'"),
        ("model/properties/0/grain", -1, "no size"),
        ("model/notification_counts/0/total", [1], "are not 6 numbers"),
        ("model/envelope/end_s", "nan", "is no size"),
        ("model/envelope/curves/jvm.thread.count/0", "1E310", "are not 25 numbers"),
        ("model/envelope/curves/jvm.thread.count/2", [10] * 24, "are not 25 numbers"),
    ],
)
def test_an_oracle_whose_numbers_cannot_be(tmp_path: Path, place: str, value: Any, says: str) -> None:
    refused_with(*an_oracle(tmp_path), place, value, says)


def test_a_large_number_in_the_target_of_an_oracle_is_kept(tmp_path: Path) -> None:
    path, data = an_oracle(tmp_path)
    data.update(target={"timeout": 10**400})
    examples.rewrite(path, data)
    oracle.check(oracle.load(path), run_set([RUN]))


@pytest.mark.parametrize(
    ("place", "value", "says"),
    [
        ("model/times_s/3", None, "the times decrease"),
        ("model/times_s/0", 10**6, "the times decrease"),
        ("model/properties/0/upper", "1E310", "are not 12 numbers"),
        # The only property that varies.
        ("model/properties/1/exponent", 400, "are not 12 numbers"),
        ("model/properties/1/exponent", 10**9, "is no exponent"),
        ("model/properties/1/upper/0", -(10**6), "above its upper"),
        ("judge/thesis/window", 4, "window"),
        ("model/interval_s", "nan", "'nan' is no size"),
        ("model/notifications/0/expected_s", [None], "when a notification comes"),
        ("model/notifications/0/expected_s", [0.5, 1], "are not 1 numbers"),
    ],
)
def test_an_oracle_whose_bands_cannot_be(tmp_path: Path, place: str, value: Any, says: str) -> None:
    refused_with(*an_oracle(tmp_path, "thesis"), place, value, says)


def test_a_window_that_is_longer_than_any_run_passes_nothing(tmp_path: Path) -> None:
    path, data = an_oracle(tmp_path, "thesis")
    data["judge"]["thesis"]["window"] = 2**70 + 1
    examples.rewrite(path, data)
    verdict = oracle.check(oracle.load(path), run_set([RUN]))
    assert verdict.status is Status.INCONCLUSIVE
    assert "jvm.memory.heap.used could not be read in any comparable sample" in verdict.reasons


def test_an_oracle_that_is_not_utf_8(tmp_path: Path) -> None:
    path, data = an_oracle(tmp_path)
    path.write_bytes(json.dumps(data).encode("utf-16"))
    refused(lambda: oracle.load(path), "damaged")
    path.write_bytes(b'"\xed\xa0\x80"')
    refused(lambda: oracle.load(path), "damaged")


@pytest.mark.parametrize("text", ["[" * 100_000, '{"a":' * 100_000, "[" * 900 + "]" * 900])
def test_json_of_any_depth(tmp_path: Path, text: str) -> None:
    path = tmp_path / "deep.json"
    path.write_text(text)
    refused(lambda: oracle.load(path), "damaged")
    for read in (format.decode, format.head_data, entry_of, labelling_of):
        with pytest.raises(ValueError, match="it "):
            read(text.encode())


@pytest.mark.parametrize("key", ["duration_s", "largest_gap_s"])
def test_a_number_of_a_run_that_no_float_holds(tmp_path: Path, key: str) -> None:
    data = format.to_data(RUN) | {"files": {}}
    for part in ("outcome", "quality"):
        if key in data[part]:
            data[part][key] = 10**400
    with pytest.raises(ValueError, match="too large a number"):
        format.decode(json.dumps(data).encode())


@pytest.mark.parametrize("number", [10**400, 2**63, -(2**70)])
@pytest.mark.parametrize("field", [0, 3])
def test_a_number_of_a_journal_that_no_clock_shows(number: int, field: int) -> None:
    noted: list[Any] = [1, "full", "a:b=c", 1, "very"]
    noted[field] = number
    prop = Property("a", "1")
    entry = JournalEntry(np.array([1]), np.ones((1, 1)), (prop,), notifications=(tuple(noted),))
    (body,) = journal.whole(b"\n" + journal.encode(entry))
    with pytest.raises(ValueError, match="bits"):
        journal.decode(body)


@pytest.mark.parametrize("time_ns", [2**62, -(2**63), 2**63 - 1])
def test_times_whose_differences_are_too_large(time_ns: int) -> None:
    entry = JournalEntry(np.array([time_ns]), np.ones((1, 1)), (Property("a", "1"),))
    (body,) = journal.whole(b"\n" + journal.encode(entry))
    with pytest.raises(ValueError, match="no clock shows"):
        journal.decode(body)
    packed = struct.pack(">q", time_ns)
    sample = speech.frame(4, struct.pack(">II", 1, 0) + packed)
    noted = speech.frame(
        5, struct.pack(">I", 1) + packed + 2 * speech.text("") + bytes(8) + speech.text("") + bytes(8)
    )
    for frame in (sample, noted, speech.frame(7, speech.text("main") + packed)):
        with pytest.raises(ChannelError, match="impossible time"):
            FrameDecoder().feed(frame)


def test_samples_that_say_they_are_few(tmp_path: Path) -> None:
    """A million rows in some kilobytes, of which run.json tells nothing: not one of them is read."""
    times = np.arange(1e6)
    properties, values = RUN.properties[:1], np.zeros((len(times), 1))
    for name, content in {
        tables.SAMPLES: tables.pack_samples(times, values),
        tables.OLD_SAMPLES: parquet.samples_to_parquet(properties, times, values),
    }.items():
        with pytest.raises(ValueError, match="1000000 rows, 20 are expected"):
            tables.all_samples(name, content, properties, 20)
        with pytest.raises(ValueError, match="rows|more than"):
            tables.all_samples(name, content, properties, 1 << 40)


@pytest.fixture
def linked(tmp_path: Path) -> tuple[RunStore, Path]:
    """A store in which a stranger has put links to a directory of somebody else's."""
    elsewhere = tmp_path / "elsewhere"
    RunStore(elsewhere).add(RUN)
    store = tmp_path / "store"
    (store / "runs").mkdir(parents=True)
    (store / "runs" / RUN.test).symlink_to(elsewhere / "runs" / RUN.test)
    (store / "results").symlink_to(elsewhere)
    (store / "labels").symlink_to(elsewhere)
    return RunStore(store), elsewhere


def test_no_link_leads_out_of_the_store(linked: tuple[RunStore, Path]) -> None:
    store, elsewhere = linked
    before = sorted(elsewhere.rglob("*"))
    uses: list[Callable[[], object]] = [
        lambda: store.load(RUN.test, RUN.id),
        lambda: store.ids(RUN.test),
        lambda: store.summaries(RUN.test),
        lambda: store.delete(RUN.test, [RUN.id]),
        lambda: store.add(examples.run(4)),
        lambda: ResultStore(store.root).add(RUN.test, b"{}"),
        lambda: ResultStore(store.root).all(RUN.test),
        lambda: LabelStore(store.root).all(RUN.test),
    ]
    for use in uses:
        refused(use, "is a link")
    assert sorted(elsewhere.rglob("*")) == before


def test_no_cache_is_written_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "store").mkdir()
    (tmp_path / "store" / "cache").symlink_to(tmp_path / "elsewhere")
    stamps = {str(number): cache.Stamp((number,)) for number in range(2 * cache.WORTH_KEEPING)}
    for root, written in (("store/cache", False), ("other", True)):
        place = tmp_path / root / "runs" / "a.json"
        assert len(cache.read_cached(place, "1", stamps, lambda name: {}, lambda data: data)) == len(stamps)
        assert place.exists() == written


def test_the_store_itself_may_be_a_link(tmp_path: Path) -> None:
    (tmp_path / "disk").mkdir()
    (tmp_path / "store").symlink_to(tmp_path / "disk")
    store = RunStore(tmp_path / "store")
    store.add(RUN)
    assert store.ids(RUN.test) == [RUN.id]


@pytest.mark.parametrize("name", ["..", "../..", "/etc", "a/../../b", ".", "~", "a\0b", "..\\..", "%2e%2e"])
def test_no_name_of_a_test_or_a_run_leads_out_of_the_store(tmp_path: Path, name: str) -> None:
    store = RunStore(tmp_path / "store")
    place = store.add(examples.run(3, test=name))
    assert place.resolve().is_relative_to(tmp_path / "store" / "runs")
    assert len(place.relative_to(tmp_path / "store" / "runs").parts) == 2
    assert store.load(name, RUN.id).test == name
    refused(lambda: store.load(name, name), "there is no run")
    refused(lambda: store.delete(name, [f"../{RUN.id}"]), "there is no run")


def test_the_messages_name_the_file_and_what_to_do(tmp_path: Path) -> None:
    path, _ = an_oracle(tmp_path)
    path.write_text("[" * 5000)
    with pytest.raises(BadFileError) as caught:
        oracle.load(path)
    assert str(path) in caught.value.message
    assert caught.value.advice is not None
    with pytest.raises(UsageError) as wrong:
        config.load(_written(tmp_path / "buto.yaml", "a: !!python/object:os.system x"), {})
    assert wrong.value.exit_code == EXIT_USAGE
    assert "the tag tag:yaml.org,2002:python/object:os.system is not allowed" in wrong.value.message


def _written(path: Path, text: str) -> Path:
    path.write_text(text)
    return path
