"""Lists of objects that a server sends in several answers."""

from __future__ import annotations

from typing import Any

import pytest

from buto.errors import StorageError
from buto.run import s3
from buto.run.storage import S3Url

FIRST = {"Contents": [{"Key": "folder/a", "ETag": "1", "LastModified": "2026", "Size": 1}]}
LAST = {"Contents": [{"Key": "folder/b", "ETag": "2", "LastModified": "2026", "Size": 1}]}


class FakeClient:
    """A client whose server gives these answers, one for each request."""

    def __init__(self, *answers: dict[str, Any]) -> None:
        self.answers = list(answers)
        self.tokens: list[str | None] = []

    def list_objects_v2(self, **request: Any) -> dict[str, Any]:
        self.tokens.append(request.get("ContinuationToken"))
        return self.answers.pop(0)


@pytest.fixture
def names(monkeypatch: pytest.MonkeyPatch):
    """Return the names that a client's server lists."""

    def names(client: FakeClient) -> list[str]:
        monkeypatch.setattr(s3, "_client", lambda environment: client)
        return [one.name for one in s3.Bucket(S3Url("some-bucket")).objects("folder")]

    return names


def test_a_list_goes_on_where_the_last_answer_ended(names) -> None:
    client = FakeClient(FIRST | {"IsTruncated": True, "NextContinuationToken": "t"}, LAST)
    assert names(client) == ["a", "b"]
    assert client.tokens == [None, "t"]


@pytest.mark.parametrize("token", [{}, {"NextContinuationToken": ""}], ids=["none", "empty"])
def test_a_list_without_the_way_on_is_an_error(names, token: dict[str, str]) -> None:
    with pytest.raises(
        StorageError, match=r"cannot list s3://some-bucket/folder: the server does not continue"
    ):
        names(FakeClient(FIRST | {"IsTruncated": True} | token))


def test_a_server_that_repeats_its_token_is_not_asked_for_ever(names) -> None:
    again = FIRST | {"IsTruncated": True, "NextContinuationToken": "t"}
    with pytest.raises(StorageError, match="the server does not continue its list"):
        names(FakeClient(again, again))
