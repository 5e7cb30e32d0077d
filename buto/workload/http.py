"""Send HTTP requests in an open loop: each is sent when it is due, whether or not earlier ones were answered.

A loop that waits for answers would send fewer requests to a slower program and hide the slowness.
"""

from __future__ import annotations

import http.client
import threading
import time
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from buto.units import format_count, format_seconds
from buto.workload.model import HttpLoad

_OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}))
"""Ignores the proxies of the environment, which cannot reach 127.0.0.1 of this machine."""

_ANSWER_S = 10.0
_MOST_AT_ONCE = 64
_MOST_SHOWN = 200
_MOST_LATE_S = 1.0
"""If a request is sent later than this, the load was not the planned one."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The result of one request.

    Attributes:
        late_s: how long after its due time it was sent.
        took_s: from its due time to the end of its answer.
        failure: empty for a good answer.
    """

    late_s: float
    took_s: float
    failure: str = ""


def send(load: HttpLoad, url: str, stop: threading.Event) -> tuple[list[Answer], tuple[str, ...]]:
    """Send all requests, or those that are due before ``stop`` is set.

    Returns:
        The answers, and the problems.
    """
    begun = time.monotonic()
    with ThreadPoolExecutor(_MOST_AT_ONCE, thread_name_prefix="buto-http") as pool:
        sent = []
        for number in range(load.n_requests):
            due = begun + number / load.rate
            if stop.wait(max(0.0, due - time.monotonic())):
                break
            sent.append(pool.submit(_ask, url, due))
        answers = [one.result() for one in sent]
    return answers, tuple(_problems(answers))


def describe(answers: list[Answer]) -> str:
    """Return the number of answers and how long they took, in one line."""
    if not answers:
        return "no requests"
    took = sorted(one.took_s for one in answers)
    median, almost = (format_seconds(took[int(share * (len(took) - 1))]) for share in (0.5, 0.99))
    return f"{format_count(len(answers), 'request')}, median {median}, 99 % within {almost}"


def _problems(answers: list[Answer]) -> list[str]:
    failed = [one.failure for one in answers if one.failure]
    problems = []
    if failed:
        problems.append(
            f"{len(failed)} of {format_count(len(answers), 'request')} failed, first: {failed[0]}"
        )
    latest_s = max((one.late_s for one in answers), default=0.0)
    if latest_s > _MOST_LATE_S:
        problems.append(
            f"requests were sent up to {format_seconds(latest_s)} late: {_MOST_AT_ONCE} waited for answers, "
            "or this machine was too busy"
        )
    return problems


def _ask(url: str, due: float) -> Answer:
    late_s = time.monotonic() - due
    failure = ""
    try:
        with _OPENER.open(url, timeout=_ANSWER_S) as answer:
            answer.read()
    except urllib.error.HTTPError as error:
        failure = f"HTTP {error.code}"
        error.close()
    except OSError as error:
        failure = str(error)
    except http.client.HTTPException as error:
        failure = f"invalid HTTP: {error!r:.{_MOST_SHOWN}}"
    return Answer(late_s, time.monotonic() - due, failure)
