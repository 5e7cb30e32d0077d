"""Objects in a bucket, through botocore; errors tell what went wrong, and what to do about it.

Requests have time limits, and are repeated a bounded number of times if the server does not answer or is
overloaded (:data:`ATTEMPTS`, or what ``AWS_MAX_ATTEMPTS`` says).

botocore is used directly, because file systems hide what the promises of a store need. pyarrow's cannot add
an object only if there is none, publishes what is half written when a block ends by an exception, and has
error codes only in the words of a message. s3fs decides by words what to repeat, and needs one of three
versions of botocore, which the environment of a user's tests may not have.
"""

from __future__ import annotations

import hashlib
import os
import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from itertools import pairwise
from typing import Any, BinaryIO

from buto.errors import StorageError, UsageError
from buto.run.cache import Stamp
from buto.run.files import in_order
from buto.run.storage import S3Url
from buto.steps import Advice, Setting

_NO_BUCKET = "NoSuchBucket"
_MISSING = ("NoSuchKey", "404")
_EMPTY = ("InvalidRange", "416")
_THERE = ("PreconditionFailed", "412")
_CONFLICT = ("ConditionalRequestConflict", "409")
_DENIED = (
    "AccessDenied",
    "AllAccessDisabled",
    "ExpiredToken",
    "InvalidAccessKeyId",
    "InvalidToken",
    "RequestTimeTooSkewed",
    "SignatureDoesNotMatch",
    "401",
    "403",
)


@contextmanager
def reported(action: str, url: S3Url) -> Iterator[None]:
    """Turn an error of botocore in the block into a StorageError: ``cannot <action> <url>: why``."""
    from botocore import exceptions

    try:
        yield
    except exceptions.ClientError as error:
        code = code_of(error)
        raise StorageError(
            f"cannot {action} {url}: {_answer(error, url)}", advice=_advice(code, url)
        ) from error
    except (
        exceptions.NoCredentialsError,
        exceptions.PartialCredentialsError,
        exceptions.CredentialRetrievalError,
        exceptions.TokenRetrievalError,
        exceptions.ProfileNotFound,
    ) as error:
        raise StorageError(
            f"cannot {action} {url}: there are no credentials: {error}",
            advice="set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY; or: aws configure",
        ) from error
    except (exceptions.HTTPClientError, exceptions.ConnectionError) as error:
        raise StorageError(
            f"cannot {action} {url}: the server does not answer: {error}",
            advice=Advice("once it answers, repeat the command; or name another: ", Setting("store", "DIR")),
        ) from error
    except exceptions.BotoCoreError as error:
        raise StorageError(f"cannot {action} {url}: {error}", advice=_advice("", url)) from error


def code_of(error: BaseException | None) -> str:
    """Return the code that the server answered; empty if it did not."""
    from botocore.exceptions import ClientError

    return str(error.response.get("Error", {}).get("Code", "")) if isinstance(error, ClientError) else ""


def is_missing(error: BaseException | None) -> bool:
    """Return whether there is no such object."""
    return code_of(error) in _MISSING


def is_empty(error: BaseException | None) -> bool:
    """Return whether the first bytes of an object were wanted that has none."""
    return code_of(error) in _EMPTY


def is_there(error: BaseException | None) -> bool:
    """Return whether there is an object already."""
    return code_of(error) in _THERE


def is_conflict(error: BaseException | None) -> bool:
    """Return whether another request for the same object was under way."""
    return code_of(error) in _CONFLICT


def _answer(error: BaseException, url: S3Url) -> str:
    code = code_of(error)
    if code == _NO_BUCKET:
        return f"there is no bucket {url.bucket!r}"
    if code in _DENIED:
        return f"access is denied ({code})"
    return str(error)


def _advice(code: str, url: S3Url) -> str:
    bucket = shlex.quote(f"s3://{url.bucket}")
    if code == _NO_BUCKET:
        return Advice(f"create it: aws s3 mb {bucket}; or name another: ", Setting("store", "DIR"))
    if code in _DENIED:
        return (
            f"see who you are: aws sts get-caller-identity; buto must be allowed to list {bucket}, "
            "and to get, put and delete its objects"
        )
    return Advice(
        f"see whether it can be reached: aws s3 ls {bucket}; or name another: ", Setting("store", "DIR")
    )


ATTEMPTS = 5
"""How often a request is sent before it has failed."""

CONNECT_S = 5.0
ANSWER_S = 30.0
"""How long the server may be silent."""

CONNECTIONS = 16

PAGE = 1000
"""How many objects the server lists in one answer."""

_CHUNK = 1 << 20
_CHECKSUM = "buto-sha256"


class ObjectExistsError(Exception):
    """There is another object with this key."""


@dataclass(frozen=True, slots=True)
class Listed:
    """An object in a list; its name is the last part of its key."""

    name: str
    stamp: Stamp


class Bucket:
    """The objects below a URL. Keys are relative to it. Threads may use the same bucket at once.

    Every method raises StorageError if the server does not do what it is asked for.
    """

    def __init__(self, url: S3Url) -> None:
        if find_spec("botocore") is None:
            raise UsageError(
                f"the store {url} needs the package botocore, which is not installed",
                advice="pip install 'buto[s3]'",
            )
        self.url = url
        with reported("open", url):
            self._client = _client(
                tuple(sorted(item for item in os.environ.items() if item[0].startswith("AWS_")))
            )

    @property
    def endpoint(self) -> str:
        """Return the address of the server."""
        return str(self._client.meta.endpoint_url)

    def add(self, key: str, content: BinaryIO) -> None:
        """Add an object wholly or not at all.

        Raises:
            ObjectExistsError: there is another object with this key; it stays.
        """
        checksum = _checksum_of(content)
        for attempt in range(ATTEMPTS):
            content.seek(0)
            try:
                with reported("write", self.url / key):
                    self._client.put_object(
                        **self._named(key), Body=content, IfNoneMatch="*", Metadata={_CHECKSUM: checksum}
                    )
                    return
            except StorageError as error:
                # A request whose answer was lost is repeated, and then meets its own object.
                if is_there(error.__cause__) and self._checksum(key) == checksum:
                    return
                if is_there(error.__cause__):
                    raise ObjectExistsError from error
                # Two requests met; which of them came first is not known yet.
                if not is_conflict(error.__cause__) or attempt == ATTEMPTS - 1:
                    raise

    def read(
        self, key: str, content: BinaryIO, most: int | None = None, *, at_most: int | None = None
    ) -> bool:
        """Write an object, or its first bytes, into an empty file; return whether there is such an object.

        Args:
            most: how many of its first bytes; None for all.
            at_most: how large the object may be; None for any size.

        Raises:
            ValueError: it is larger; nothing of it was fetched.
        """
        wanted = {} if most is None else {"Range": f"bytes=0-{most - 1}"}
        for attempt in range(ATTEMPTS):
            content.seek(0)
            content.truncate()
            began = False
            try:
                with reported("read", self.url / key):
                    answer = self._client.get_object(**self._named(key), **wanted)
                    body = answer["Body"]
                    if at_most is not None and answer["ContentLength"] > at_most:
                        body.close()
                        raise ValueError(f"it is larger than {at_most} bytes")
                    began = True
                    for chunk in body.iter_chunks(_CHUNK):
                        content.write(chunk)
                    return True
            except StorageError as error:
                if is_missing(error.__cause__):
                    return False
                if is_empty(error.__cause__):
                    return True
                # botocore repeats requests, but not the reading of an answer that breaks off.
                if not began or attempt == ATTEMPTS - 1:
                    raise
        return False

    def delete(self, key: str) -> None:
        """Remove an object, if it is there."""
        with reported("delete", self.url / key):
            self._client.delete_object(**self._named(key))

    def objects(self, folder: str, known: Sequence[str] = ()) -> list[Listed]:
        """Return the objects directly below a folder, in the order of their names.

        Args:
            known: names that were there before, sorted. Between every thousandth of them, the server is asked
                for a part at the same time; what it lists does not depend on them.
        """
        marks = ("", *known[PAGE - 1 :: PAGE], "")
        parts = in_order(lambda part: self._part(folder, *part), list(pairwise(marks)), CONNECTIONS)
        return [one for part in parts for one in part]

    def _part(self, folder: str, after: str, to: str) -> list[Listed]:
        """Return the objects directly below a folder with names between two; empty for the first and last."""
        found: list[Listed] = []
        for page in self._pages(folder, StartAfter=self.url.key(f"{folder}/{after}")):
            for one in page.get("Contents", ()):
                name = one["Key"].removeprefix(self.url.key(f"{folder}/"))
                if to and name > to:
                    return found
                found.append(Listed(name, Stamp((one["ETag"], one["LastModified"], one["Size"]))))
            if to and found and found[-1].name == to:
                break
        return found

    def folders(self, folder: str) -> Iterator[str]:
        """Yield the names of the folders directly below a folder."""
        for page in self._pages(folder):
            for found in page.get("CommonPrefixes", ()):
                yield found["Prefix"].removeprefix(self.url.key(f"{folder}/")).rstrip("/")

    def _pages(self, folder: str, **between: str) -> Iterator[Any]:
        prefix = self.url.key(f"{folder}/")
        while True:
            with reported("list", self.url / folder):
                page = self._client.list_objects_v2(
                    Bucket=self.url.bucket, Prefix=prefix, Delimiter="/", MaxKeys=PAGE, **between
                )
            yield page
            if not page.get("IsTruncated"):
                return
            token = page.get("NextContinuationToken")
            if not token or token == between.get("ContinuationToken"):
                raise StorageError(
                    f"cannot list {self.url / folder}: the server does not continue its list",
                    advice=Advice("use another server, or name another store: ", Setting("store", "DIR")),
                )
            # Not both, as botocore's paginator sends: S3Proxy refuses a token beside a first key.
            between = {"ContinuationToken": token}

    def first_names(self, folder: str) -> list[str]:
        """Return the names of the first objects directly below a folder, by one request."""
        page: Any = next(self._pages(folder), {})
        return [one["Key"].removeprefix(self.url.key(f"{folder}/")) for one in page.get("Contents", ())]

    def _checksum(self, key: str) -> str | None:
        """Return the checksum that an object was added with."""
        with reported("read", self.url / key):
            found = self._client.head_object(**self._named(key))["Metadata"].get(_CHECKSUM)
        return None if found is None else str(found)

    def _named(self, key: str) -> dict[str, str]:
        return {"Bucket": self.url.bucket, "Key": self.url.key(key)}


def _checksum_of(content: BinaryIO) -> str:
    content.seek(0)
    checksum = hashlib.sha256()
    while chunk := content.read(_CHUNK):
        checksum.update(chunk)
    return checksum.hexdigest()


@lru_cache(maxsize=4)
def _client(environment: tuple[tuple[str, str], ...]) -> Any:
    """Return a client for the variables that name credentials, region and server."""
    from botocore.config import Config
    from botocore.session import get_session

    retries: dict[str, Any] = {"mode": "standard"}
    if "AWS_MAX_ATTEMPTS" not in dict(environment):
        retries["total_max_attempts"] = ATTEMPTS
    config = Config(
        connect_timeout=CONNECT_S,
        read_timeout=ANSWER_S,
        retries=retries,
        max_pool_connections=CONNECTIONS,
        # Servers other than Amazon's do not all know the newer checksums; a run has its own.
        request_checksum_calculation="when_required",
        response_checksum_validation="when_required",
    )
    session = get_session()
    # As text: to parse the time of each object takes as long as everything else in a list.
    session.get_component("response_parser_factory").set_parser_defaults(timestamp_parser=str)
    return session.create_client("s3", config=config)
