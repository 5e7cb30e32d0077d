"""Objects in a bucket, through obstore; errors tell what went wrong, and what to do about it.

Credentials, region and address of the server are looked for where the ``aws`` command does, by botocore.
Requests have time limits, and are repeated a bounded number of times if the server does not answer or is
overloaded (:data:`ATTEMPTS`, or what ``AWS_MAX_ATTEMPTS`` says).
"""

from __future__ import annotations

import hashlib
import os
import re
import shlex
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import TYPE_CHECKING, Any, BinaryIO, cast

from buto.errors import StorageError
from buto.extensions import require
from buto.run.cache import Stamp
from buto.run.storage import S3Url
from buto.steps import Advice, Setting

if TYPE_CHECKING:
    from obstore.store import S3Store

ATTEMPTS = 5
"""How often a request is sent before it has failed."""

CONNECT_S = 5.0
ANSWER_S = 30.0
"""How long the server may be silent."""

READERS = 16
PAGE = 1000
"""How many objects the server lists in one answer."""

_CHUNK = 1 << 20
_CHECKSUM = "buto-sha256"
_ANSWER = re.compile(r"status code: (?P<status>\d+)(?:.*?<Code>(?P<code>\w+)</Code>)?", re.DOTALL)
_CONFLICT = "ConditionalRequestConflict"


class ObjectExistsError(Exception):
    """There is another object with this key."""


@contextmanager
def report_errors(action: str, url: S3Url) -> Iterator[None]:
    """Turn an error of obstore in the block into a StorageError: ``cannot <action> <url>: why``."""
    from obstore.exceptions import BaseError

    try:
        yield
    except (BaseError, FileNotFoundError) as error:
        why, advice = _explain(error, url)
        raise StorageError(f"cannot {action} {url}: {why}", advice=advice) from error


def _answer(error: BaseException | None) -> tuple[int, str]:
    """Return status and code that the server answered; 0 and nothing if it did not.

    obstore has both in the text of its errors only. Its classes do not tell a missing bucket from a missing
    object, a conflict from an object that exists, nor a server that is busy from one that refuses.
    """
    answer = _ANSWER.search(str(error))
    return (int(answer["status"]), answer["code"] or "") if answer else (0, "")


def _explain(error: BaseException, url: S3Url) -> tuple[str, str]:
    """Return why a request failed, and what to do."""
    status, code = _answer(error)
    bucket = shlex.quote(f"s3://{url.bucket}")
    if status in (401, 403) or code == "ExpiredToken":
        return f"access is denied ({code or status})", (
            f"see who you are: aws sts get-caller-identity; buto must be allowed to list {bucket}, "
            "and to get, put and delete its objects"
        )
    if code == "NoSuchBucket":
        why, advice = f"there is no bucket {url.bucket!r}", f"create it: aws s3 mb {bucket}"
    elif status:
        why, advice = _first_line(error), f"see whether it can be reached: aws s3 ls {bucket}"
    else:
        why, advice = (
            f"the server does not answer: {_first_line(error)}",
            "once it answers, repeat the command",
        )
    return why, Advice(f"{advice}; or name another: ", Setting("store", "DIR"))


def _first_line(error: BaseException) -> str:
    return str(error).partition("\n")[0]


def _may_pass(error: BaseException | None) -> bool:
    """Return whether a request may succeed if it is repeated."""
    status, code = _answer(error)
    # After a conflict of two requests it is not known yet which of them came first.
    return status in (0, 429) or status >= 500 or code == _CONFLICT


class Bucket:
    """The objects below a URL. Keys are relative to it. Threads may use the same bucket at once.

    Every method raises StorageError if the server does not do what it is asked for.
    """

    def __init__(self, url: S3Url) -> None:
        for package in ("obstore", "botocore"):
            require(package, f"the store {url}")
        self.url = url
        environment = tuple(sorted(item for item in os.environ.items() if item[0].startswith("AWS_")))
        self._attempts = int(os.environ.get("AWS_MAX_ATTEMPTS", ATTEMPTS))
        self._store, self._writer, self.endpoint = _open(url, environment, self._attempts, ANSWER_S)

    def add(self, key: str, content: BinaryIO) -> None:
        """Add an object wholly or not at all.

        Raises:
            ObjectExistsError: there is another object with this key; it stays.
        """
        import obstore
        from obstore.exceptions import AlreadyExistsError

        content.seek(0)
        checksum = hashlib.file_digest(cast(Any, content), "sha256").hexdigest()
        for attempt in range(1, self._attempts + 1):
            content.seek(0)
            try:
                with report_errors("write", self.url / key):
                    obstore.put(self._writer, key, content, mode="create", attributes={_CHECKSUM: checksum})
                    return
            except StorageError as error:
                if isinstance(error.__cause__, AlreadyExistsError) and not _may_pass(error.__cause__):
                    # A request whose answer was lost is repeated, and then meets its own object.
                    if self._checksum(key) == checksum:
                        return
                    raise ObjectExistsError from error
                if attempt == self._attempts or not _may_pass(error.__cause__):
                    raise
                time.sleep(0.1 * 2**attempt)

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
        import obstore

        try:
            with report_errors("read", self.url / key):
                answer = obstore.get(self._store, key, options={} if most is None else {"range": (0, most)})
                if at_most is not None and answer.meta["size"] > at_most:
                    raise ValueError(f"it is larger than {at_most} bytes")
                for chunk in answer.stream(min_chunk_size=_CHUNK):
                    content.write(chunk)
                return True
        except StorageError as error:
            code = _answer(error.__cause__)[1]
            if code not in ("NoSuchKey", "InvalidRange"):
                raise
            return code == "InvalidRange"  # of an empty object

    def delete(self, key: str) -> None:
        """Remove an object, if it is there."""
        import obstore

        with report_errors("delete", self.url / key):
            obstore.delete(self._store, key)

    def objects(self, folder: str) -> Iterator[tuple[str, Stamp]]:
        """Yield the names and stamps of the objects below a folder, in the order of the names."""
        import obstore

        with report_errors("list", self.url / folder):
            for page in obstore.list(self._store, folder, chunk_size=PAGE):
                for listed in page:
                    value = (str(listed["e_tag"]), listed["last_modified"].isoformat(), listed["size"])
                    yield listed["path"].removeprefix(f"{folder}/"), Stamp(value)

    def folders(self, folder: str) -> list[str]:
        """Return the names of the folders directly below a folder."""
        import obstore

        with report_errors("list", self.url / folder):
            paths = obstore.list_with_delimiter(self._store, folder)["common_prefixes"]
        return [path.removeprefix(f"{folder}/") for path in paths]

    def _checksum(self, key: str) -> str | None:
        """Return the checksum that an object was added with."""
        import obstore

        with report_errors("read", self.url / key):
            checksum: str | None = obstore.get(self._store, key).attributes.get(_CHECKSUM)
        return checksum


@lru_cache(maxsize=4)
def _open(
    url: S3Url, environment: tuple[tuple[str, str], ...], attempts: int, answer_s: float
) -> tuple[S3Store, S3Store, str]:
    """Return what reads, what writes, and the server's address, for the variables of the environment.

    Writing is repeated by :meth:`Bucket.add`, because only buto knows that it may be.
    """
    from botocore.exceptions import BotoCoreError
    from botocore.session import get_session
    from obstore.store import S3Store

    variables = dict(environment)
    session = get_session()
    try:
        credentials = session.get_credentials()
        region = session.get_config_variable("region") or "us-east-1"
        configured = session.get_scoped_config().get("endpoint_url")
    except BotoCoreError as error:
        raise _no_credentials(url, error) from error
    if credentials is None:
        raise _no_credentials(url, "none were found")
    endpoint = variables.get("AWS_ENDPOINT_URL_S3") or variables.get("AWS_ENDPOINT_URL") or configured

    def provide() -> Any:
        # botocore renews those that expire, so that obstore need only ask again.
        now = credentials.get_frozen_credentials()
        return {
            "access_key_id": now.access_key,
            "secret_access_key": now.secret_key,
            "token": now.token,
            "expires_at": datetime.now(UTC) + timedelta(minutes=5),
        }

    def store(n_retries: int) -> S3Store:
        return S3Store(
            url.bucket,
            prefix=url.prefix or None,
            endpoint=endpoint,
            region=region,
            virtual_hosted_style_request=endpoint is None,
            client_options={
                "allow_http": True,
                "connect_timeout": timedelta(seconds=CONNECT_S),
                "read_timeout": timedelta(seconds=answer_s),
            },
            retry_config={"max_retries": n_retries},
            credential_provider=provide,
        )

    return store(attempts - 1), store(0), endpoint or f"https://s3.{region}.amazonaws.com"


def _no_credentials(url: S3Url, why: object) -> StorageError:
    return StorageError(
        f"cannot open {url}: there are no credentials: {why}",
        advice="set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY; or: aws configure",
    )
