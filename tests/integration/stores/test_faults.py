"""A store in a bucket whose server is slow, fails, refuses, or is lost while a run is written."""

from __future__ import annotations

import random
from pathlib import Path

import obstore
import pytest
from obstore.exceptions import BaseError

from buto.errors import EXIT_NOT_JUDGED, BadFileError, StorageError
from buto.run import s3
from buto.run import store as stores
from buto.run.storage import S3Url, UnsentError
from buto.run.store import RunStore
from tests.support.runs.examples import assert_same, full_run
from tests.support.stores.proxy import Fault, Plan, Proxy, Refusal, Request

pytestmark = pytest.mark.slow

TEST = "leaker"
ATTEMPTS = 2
PATIENCE_S = 5.0


@pytest.fixture
def store(bucket: S3Url, monkeypatch: pytest.MonkeyPatch) -> RunStore:
    """A store of a client that tries only twice."""
    # No other test has this number, so this client is not that of another one.
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", str(ATTEMPTS))
    monkeypatch.setattr(s3, "ANSWER_S", PATIENCE_S)
    return RunStore(bucket)


def first(method: str, fault: Fault | Refusal) -> Plan:
    """Let the first request with a method fail."""
    failed: list[Request] = []

    def plan(request: Request) -> Fault | Refusal | None:
        if request.method == method and not failed:
            failed.append(request)
            return fault
        return None

    return plan


@pytest.mark.parametrize(
    "fault",
    [
        Refusal(503, "SlowDown"),
        Refusal(500, "InternalError"),
        Refusal(409, "ConditionalRequestConflict"),
        Fault.HALF_REQUEST,
        Fault.NO_ANSWER,
        pytest.param(Fault.SILENCE, marks=pytest.mark.all),
    ],
    ids=str,
)
def test_one_failure_while_a_run_is_written_is_not_noticed(
    store: RunStore, proxy: Proxy, fault: Fault | Refusal
) -> None:
    proxy.plan = first("PUT", fault)
    store.add(full_run("001"))
    assert proxy.count("PUT") == 2
    assert store.unsent() == []
    assert_same(store.load(TEST, "001"), full_run("001"))


@pytest.mark.parametrize(
    "fault",
    [Refusal(500, "InternalError"), Fault.HALF_ANSWER, pytest.param(Fault.SILENCE, marks=pytest.mark.all)],
    ids=str,
)
def test_one_failure_while_a_run_is_read_is_not_noticed(
    store: RunStore, proxy: Proxy, fault: Fault | Refusal
) -> None:
    store.add(full_run("001"))
    proxy.plan = first("GET", fault)
    assert_same(store.load(TEST, "001"), full_run("001"))
    assert proxy.count("GET") == 2


@pytest.mark.parametrize("fault", [Refusal(503, "SlowDown"), Fault.HALF_REQUEST], ids=["busy", "lost"])
def test_a_run_that_the_server_does_not_take_waits_on_this_machine(
    store: RunStore, proxy: Proxy, fault: Fault | Refusal
) -> None:
    proxy.plan = lambda request: fault if request.method == "PUT" else None
    with pytest.raises(UnsentError) as refused:
        store.add(full_run("001"))
    assert proxy.count("PUT") == ATTEMPTS
    assert refused.value.exit_code == EXIT_NOT_JUDGED
    assert f"buto runs recover --store {store.root}" in refused.value.message
    assert (store.ids(TEST), store.unsent()) == ([], [(TEST, "001")])
    with pytest.raises(StorageError):
        store.send(TEST, "001")
    assert store.unsent() == [(TEST, "001")]
    proxy.plan = lambda request: None
    assert store.send(TEST, "001")
    assert not store.send(TEST, "001")
    assert store.unsent() == []
    assert_same(store.load(TEST, "001"), full_run("001"))


@pytest.mark.parametrize("fault", [Refusal(503, "SlowDown"), Fault.HALF_ANSWER], ids=str)
def test_reading_is_tried_a_bounded_number_of_times(
    store: RunStore, proxy: Proxy, fault: Fault | Refusal
) -> None:
    store.add(full_run("001"))
    proxy.plan = lambda request: fault
    with pytest.raises(StorageError, match="cannot read s3://"):
        store.load(TEST, "001")
    assert proxy.count("GET") == ATTEMPTS


def test_failures_at_random_lose_and_double_nothing(store: RunStore, proxy: Proxy) -> None:
    chance = random.Random(7)
    faults = [Refusal(503, "SlowDown"), Fault.HALF_REQUEST, Fault.NO_ANSWER, Fault.HALF_ANSWER]
    proxy.plan = lambda request: chance.choice(faults) if chance.random() < 0.3 else None
    ids = [f"{number:03d}" for number in range(12)]
    for run_id in ids:
        try:
            store.add(full_run(run_id))
        except UnsentError:
            assert (TEST, run_id) in store.unsent()
    n_failed = len(proxy.requests)
    proxy.plan = lambda request: None
    assert n_failed > len(ids), "some requests must fail, or this test shows nothing"
    for _, run_id in store.unsent():
        store.send(TEST, run_id)
    assert store.ids(TEST) == ids
    for run in store.load_set(TEST):
        assert_same(run, full_run(run.id))


def test_who_is_denied_is_told_at_once(store: RunStore, proxy: Proxy) -> None:
    proxy.plan = lambda request: Refusal(403, "AccessDenied")
    with pytest.raises(
        StorageError, match=r"cannot list s3://.*: access is denied \(AccessDenied\)"
    ) as refused:
        store.ids(TEST)
    assert len(proxy.requests) == 1
    assert "aws sts get-caller-identity" in str(refused.value.advice)


@pytest.mark.parametrize(
    ("refusal", "other"),
    [
        (Refusal(404, "NoSuchBucket"), Refusal(404, "NoSuchKey")),
        (Refusal(409, "ConditionalRequestConflict"), Refusal(412, "PreconditionFailed")),
        (Refusal(503, "SlowDown"), Refusal(400, "ExpiredToken")),
        (Refusal(416, "InvalidRange"), Refusal(400, "InvalidRequest")),
    ],
    ids=str,
)
def test_obstore_tells_answers_apart_by_words_alone(
    bucket: S3Url, proxy: Proxy, refusal: Refusal, other: Refusal
) -> None:
    """Once this fails, what obstore has learned takes the place of the search in its words."""

    def error(refusal: Refusal) -> Exception:
        proxy.plan = lambda request: refusal
        with pytest.raises((BaseError, FileNotFoundError)) as refused:
            obstore.put(s3.Bucket(bucket)._writer, "key", b"", mode="create")
        return refused.value

    first, second = error(refusal), error(other)
    assert type(first) is type(second)
    assert vars(first) == vars(second) == {}
    assert (first.__cause__, second.__cause__) == (None, None)
    assert str(first) != str(second)


def test_a_missing_bucket_is_named(proxy: Proxy) -> None:
    with pytest.raises(StorageError, match="there is no bucket 'no-such-bucket'") as refused:
        RunStore(S3Url("no-such-bucket")).ids(TEST)
    assert "aws s3 mb s3://no-such-bucket" in str(refused.value.advice)
    with pytest.raises(StorageError, match="there is no bucket 'no-such-bucket'"):
        RunStore(S3Url("no-such-bucket")).load(TEST, "001")


def test_missing_credentials_are_named(proxy: Proxy, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    with pytest.raises(StorageError, match="there are no credentials") as refused:
        RunStore(S3Url("some-bucket")).ids(TEST)
    assert "AWS_PROFILE" in str(refused.value.advice)
    monkeypatch.setenv("AWS_PROFILE", "nobody")
    with pytest.raises(StorageError, match="there are no credentials"):
        RunStore(S3Url("some-bucket"))
    assert proxy.requests == []


def test_a_server_that_is_not_there_is_named(store: RunStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL_S3", "http://127.0.0.1:1")
    with pytest.raises(StorageError, match="the server does not answer"):
        RunStore(store.storage.root).ids(TEST)


def test_a_machine_that_cannot_keep_a_run_still_sends_it(
    bucket: S3Url, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    store = RunStore(bucket)
    store.add(full_run("001"))
    assert [summary.id for summary in store.summaries(TEST)] == ["001"]
    assert_same(store.load(TEST, "001"), full_run("001"))


def test_an_object_that_is_larger_than_any_run_is_refused_before_it_is_fetched(
    store: RunStore, proxy: Proxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.add(full_run("001"))
    monkeypatch.setattr(stores, "MAX_RUN_BYTES", 100)
    # Who fetched it would notice that it is never complete.
    proxy.plan = lambda request: Fault.HALF_ANSWER
    with pytest.raises(BadFileError, match="it is larger than 100 bytes"):
        store.load(TEST, "001")
