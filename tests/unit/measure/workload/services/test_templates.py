"""The directories that services get for each run, and the users to whom they belong."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from buto.errors import StorageError, UsageError
from buto.measure.workload.serving import running
from tests.support.services import reachable, sh


def test_each_run_has_a_fresh_copy_of_the_template(tmp_path: Path) -> None:
    template = tmp_path / "template"
    (template / "cluster").mkdir(parents=True)
    (template / "cluster" / "data").write_text("as it was\n")
    (template / "cluster" / "data").chmod(0o640)
    (template / "link").symlink_to("cluster")
    service = sh(
        "echo more >> data; cat data; stat -c %a data; readlink ../link; echo up; exec sleep 60",
        template=template,
        directory=Path("cluster"),
    )
    for _ in range(2):
        with running([service]) as services:
            assert services.stop() == {"db": b"as it was\nmore\n640\ncluster\nup\n"}
    assert (template / "cluster" / "data").read_text() == "as it was\n"


def test_a_template_that_is_missing_or_cannot_be_copied_is_told(tmp_path: Path) -> None:
    service = sh("exit 1", template=tmp_path / "none")
    with (
        pytest.raises(UsageError, match="the template .*none of the service 'db' does not exist"),
        running([service]),
    ):
        pass
    (tmp_path / "file").touch()
    service = sh("exit 1", template=tmp_path / "file")
    with pytest.raises(UsageError, match="is not a directory"), running([service]):
        pass
    (tmp_path / "pipes").mkdir()
    os.mkfifo(tmp_path / "pipes" / "pipe")
    service = sh("exit 1", template=tmp_path / "pipes")
    with (
        pytest.raises(StorageError, match=r"cannot be copied: .*pipes/pipe: .*it is no regular file"),
        running([service]),
    ):
        pass


def test_a_user_that_does_not_exist_is_told() -> None:
    with (
        pytest.raises(UsageError, match="this machine has no user 'no-such-user'"),
        running([sh("exit 1", user="no-such-user")]),
    ):
        pass


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_root_becomes_the_user_and_the_copy_is_theirs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    template = tmp_path / "template"
    (template / "inner").mkdir(parents=True)
    (template / "inner" / "data").write_text("x")
    service = sh(
        "id -un; touch inner/new; stat -c %U inner/data; echo $HOME; echo up; exec sleep 60",
        user="nobody",
        template=template,
    )
    with reachable(monkeypatch), running([service]) as services:
        lines = services.stop()["db"].decode().split()
    assert lines[:2] == ["nobody", "nobody"]
    assert lines[2] != os.environ.get("HOME")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_a_user_that_cannot_reach_the_copy_is_told_what_to_set(tmp_path: Path) -> None:
    (tmp_path / "template").mkdir()
    service = sh("exit 1", user="nobody", template=tmp_path / "template")
    with pytest.raises(StorageError, match="the user 'nobody' cannot enter") as error, running([service]):
        pass
    assert "TMPDIR" in (error.value.advice or "")
