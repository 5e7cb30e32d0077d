"""Where a store is, as a user writes it."""

from __future__ import annotations

from pathlib import Path

import pytest

from buto.errors import UsageError
from buto.run.storage import S3Url, place_of


@pytest.mark.parametrize(
    ("text", "place"),
    [
        (".buto", Path(".buto")),
        ("/a/b", Path("/a/b")),
        ("s3://my-bucket", S3Url("my-bucket")),
        ("s3://my-bucket/a/b/", S3Url("my-bucket", "a/b")),
        ("s3:/a", Path("s3:/a")),
    ],
)
def test_a_place_is_a_directory_or_a_url(text: str, place: Path | S3Url) -> None:
    assert place_of(text) == place
    assert place_of(place) == place


def test_a_directory_may_be_below_another_and_a_bucket_never_is() -> None:
    assert place_of("a", Path("/root")) == Path("/root/a")
    assert place_of("s3://bucket/a", Path("/root")) == S3Url("bucket", "a")


@pytest.mark.parametrize(
    "text",
    ["gs://bucket", "http://host/x", "s3://", "s3://a", "s3://b b/x", "s3://bucket/a//b", "s3://bucket/ä"],
)
def test_another_url_is_refused_with_what_was_typed(text: str) -> None:
    with pytest.raises(UsageError, match="got|in") as refused:
        place_of(text)
    assert repr(text) in refused.value.message


def test_a_url_is_written_as_it_was_typed_and_has_keys_below_it() -> None:
    assert str(S3Url("bucket")) == "s3://bucket"
    assert str(S3Url("bucket") / "runs" / "a") == "s3://bucket/runs/a"
    assert S3Url("bucket", "a/b").key("runs/x") == "a/b/runs/x"
