"""The command line with a store in a bucket: all works as with a directory, and oracles stay files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from buto.errors import EXIT_BAD_FILE, EXIT_NOT_JUDGED, EXIT_REGRESSION, EXIT_USAGE
from buto.run.storage import S3Url
from buto.run.store import RunStore
from tests.support.processes.command import called
from tests.support.runs.stored import leaking_run
from tests.support.stores.proxy import Proxy, Refusal

pytestmark = pytest.mark.slow


def stored(bucket: S3Url) -> RunStore:
    """Ten training runs, a good run (20) and three that leak more (21 to 23)."""
    store = RunStore(bucket)
    for number in range(10):
        store.add(leaking_run(number))
    store.add(leaking_run(20, purpose="check"))
    for number in (21, 22, 23):
        store.add(leaking_run(number, leak=3.0, purpose="check"))
    return store


def test_runs_in_a_bucket_train_check_and_are_labelled(bucket: S3Url, tmp_path: Path) -> None:
    stored(bucket)
    there = ("--store", str(bucket))
    runs = f"{leaking_run(0).id}..{leaking_run(9).id}"
    done = called(tmp_path, "train", "leaker", "--from-runs", runs, *there, "--", "java", "Main", exits=0)
    assert done.stderr.startswith("leaker: the program is not kept: some of the runs were recorded earlier")
    assert done.stderr.count("\n") == 1
    assert (tmp_path / "oracles" / "leaker.json").is_file()
    called(tmp_path, "check", "leaker", "--from-runs", leaking_run(20).id, *there, exits=0)
    worse = leaking_run(21).id
    three = ",".join(leaking_run(number).id for number in (21, 22, 23))
    done = called(tmp_path, "check", "leaker", "--from-runs", three, *there, exits=EXIT_REGRESSION)
    assert f"--store {bucket}" in done.stdout
    called(tmp_path, "label", "leaker", worse, "bad", "--reason", "it leaks", *there, exits=0)
    listed = called(tmp_path, "runs", "list", "--json", "-", *there)
    labels = {run["id"]: run["label"] for run in json.loads(listed.stdout)["runs"]}
    assert len(labels) == 14
    assert labels[worse] == "bad"
    assert "REGRESSION" in called(tmp_path, "history", "leaker", *there).stdout.upper()
    assert "it leaks" in called(tmp_path, "runs", "show", "leaker", worse, *there).stdout
    done = called(tmp_path, "runs", "delete", "leaker", worse, *there)
    assert done.stdout.startswith("deleted 1 run of 'leaker'; 13 runs left")
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_what_waits_on_this_machine_is_listed_and_recovered(
    bucket: S3Url, tmp_path: Path, proxy: Proxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "1")
    proxy.plan = lambda request: Refusal(503, "SlowDown") if request.method == "PUT" else None
    run = leaking_run(1)
    with pytest.raises(Exception, match="is kept on this machine"):
        RunStore(bucket).add(run)
    done = called(tmp_path, "runs", "list", "--store", str(bucket))
    assert f"1 run only on this machine: 'leaker' {run.id}; to store: buto runs recover --store {bucket}" in (
        done.stdout + done.stderr
    )
    done = called(tmp_path, "runs", "recover", "--store", str(bucket), exits=EXIT_NOT_JUDGED)
    proxy.plan = lambda request: None
    done = called(tmp_path, "runs", "recover", "--store", str(bucket))
    assert (done.returncode, done.stdout) == (
        0,
        f"stored 'leaker' {run.id}: it was complete on this machine\n",
    )
    assert RunStore(bucket).ids("leaker") == [run.id]


def test_errors_have_the_exit_codes_of_a_store_and_say_what_next(
    bucket: S3Url, tmp_path: Path, proxy: Proxy
) -> None:
    done = called(tmp_path, "runs", "show", "leaker", "--store", str(bucket), exits=EXIT_BAD_FILE)
    assert f"{bucket} holds no runs of 'leaker'" in done.stderr
    done = called(tmp_path, "runs", "list", "--store", "gs://bucket", exits=EXIT_USAGE)
    assert "a store must be a directory or an s3:// URL, got 'gs://bucket'" in done.stderr
    proxy.plan = lambda request: Refusal(403, "AccessDenied")
    done = called(tmp_path, "runs", "list", "--store", str(bucket), exits=EXIT_NOT_JUDGED)
    assert "access is denied" in done.stderr
    assert "try:  see who you are: aws sts get-caller-identity" in done.stderr


def test_the_doctor_examines_the_bucket(bucket: S3Url, proxy: Proxy) -> None:
    from buto.measure.doctor import Health, check_store

    assert check_store(bucket).detail == f"{bucket} can be written"
    assert RunStore(bucket).storage.files("probes") == {}
    proxy.plan = lambda request: Refusal(403, "AccessDenied") if request.method == "PUT" else None
    found = check_store(bucket)
    assert found.level is Health.PROBLEM
    assert "access is denied" in found.detail
