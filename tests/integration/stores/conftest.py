"""One object storage for all tests of this folder, and a bucket for each test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import boto3
import pytest

from buto.runs.storage.place import S3Url
from tests.support.stores.proxy import Proxy, proxied
from tests.support.stores.server import environment, object_storage


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, int]]:
    with object_storage(tmp_path_factory.mktemp("server") / "log") as address:
        yield address


@pytest.fixture
def proxy(server: tuple[str, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Proxy]:
    """A proxy before the storage, which this process and its children use."""
    with proxied(*server) as proxy:
        for name, value in environment(proxy.host, proxy.port, tmp_path / "cache").items():
            monkeypatch.setenv(name, value)
        yield proxy


@pytest.fixture
def bucket(proxy: Proxy, tmp_path: Path) -> S3Url:
    """A prefix in a new bucket."""
    name = f"buto-{uuid4()}"
    boto3.client("s3").create_bucket(Bucket=name)
    proxy.requests.clear()
    return S3Url(name, "some/prefix")
