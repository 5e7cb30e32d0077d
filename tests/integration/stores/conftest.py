"""One object storage behind one proxy for all tests of this folder, and a bucket for each test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from urllib.request import Request, urlopen
from uuid import uuid4

import pytest

from buto.run.storage import S3Url
from perf.scale.object_storage import environment, object_storage
from tests.support.stores.proxy import Proxy, proxied


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Proxy]:
    """A proxy before an object storage."""
    log = tmp_path_factory.mktemp("server") / "log"
    with object_storage(log) as address, proxied(*address) as proxy:
        yield proxy


@pytest.fixture
def proxy(server: Proxy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Proxy:
    """A proxy without faults, which this process and its children use."""
    server.plan = lambda request: None
    server.requests.clear()
    for name, value in environment(server.host, server.port, tmp_path / "cache").items():
        monkeypatch.setenv(name, value)
    return server


@pytest.fixture
def bucket(proxy: Proxy) -> S3Url:
    """A prefix in a new bucket."""
    name = f"buto-{uuid4()}"
    # Without a client, for that takes longer than most tests.
    with urlopen(Request(f"http://{proxy.host}:{proxy.port}/{name}", method="PUT"), timeout=60):
        proxy.requests.clear()
    return S3Url(name, "some/prefix")
