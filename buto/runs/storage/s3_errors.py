"""What went wrong between buto and an object storage, and what to do about it."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from contextlib import contextmanager

from buto.errors import StorageError
from buto.runs.storage.place import S3Url
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
