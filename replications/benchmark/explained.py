"""What ``buto why`` answers about pairs and commits: where the changed method is, and what else it names."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from beds.artefacts import BedError
from benchmark.causes import subjects
from benchmark.launch import TIMEOUT_S, build, command
from benchmark.pairs import Pair
from benchmark.services import ServiceChange, configuration
from buto_replications.causes.programs import kinds_of

FEW = 3
NONE = "-"


@dataclass(frozen=True, slots=True)
class Answer:
    """One explanation, of both programs launched by ``buto why`` with its defaults.

    Attributes:
        place: of the first method that changed, among the methods of a kind that the change concerns, from 1;
            0 if it is not among them.
        answered: whether the sentence is about such a method.
        named: whether one is named as a cause.
        others: what else is named as a cause, of any kind.
        seconds: from the command to its end.
    """

    name: str
    java: str
    place: int
    answered: bool
    named: bool
    others: str
    seconds: float


def explained(pair: Pair, java: str, release: str) -> Answer:
    """Ask ``buto why`` for the cause of a pair or a commit. Of a good pair each cause is wrong.

    Args:
        java: the command of the JVM.
        release: its name in the answer.

    Raises:
        BedError: a file is missing, or buto could not measure.
    """
    classes = build(pair)
    old, new = (command(pair, side, classes, java) for side in ("old", "new"))
    words = ["--timeout", f"{TIMEOUT_S:g}s", "--", *old, "--against", "new", "--", *new]
    document, seconds = _asked(pair.name, words)
    found = pair.regression
    concerned = {kind.value for word in subjects(found) for kind in kinds_of(word)} if found else set()
    return judged(document, concerned, found.changed if found else (), pair.name, release, seconds)


def explained_service(change: ServiceChange, java: str, release: str) -> Answer:
    """Ask ``buto why`` for the cause of a change of the service; as :func:`explained`."""
    document, seconds = _asked(change.name, ["--against", "new"], configuration(change, java))
    return judged(document, change.kinds, change.changed, change.name, release, seconds)


def _asked(name: str, words: Sequence[str], tests: Mapping[str, Any] | None = None) -> tuple[Any, float]:
    """Return what ``buto why old`` writes with ``--json``, and how long it takes."""
    with tempfile.TemporaryDirectory() as directory:
        file = Path(directory) / "why.json"
        if tests is not None:
            Path(directory, "buto.yaml").write_text(yaml.safe_dump(tests), encoding="utf-8")
        begun = time.monotonic()
        done = subprocess.run(
            [sys.executable, "-m", "buto", "why", "old", "--json", str(file), *words],
            cwd=directory,
            capture_output=True,
            text=True,
            check=False,
        )
        seconds = time.monotonic() - begun
        if not file.exists():
            raise BedError(f"{name}: buto why ended with {done.returncode}: {done.stderr[-500:].strip()}")
        return json.loads(file.read_text()), seconds


def judged(
    document: Mapping[str, Any],
    concerned: Iterable[str],
    changed: Sequence[str],
    name: str,
    release: str,
    seconds: float,
) -> Answer:
    """Return where the changed methods are in the document that ``buto why --json`` writes.

    Args:
        concerned: the kinds of event that the change concerns; the best place in one of them counts.
        changed: the methods and fields that changed, or lead to the change as directly.
    """

    def leads(cause: Mapping[str, Any]) -> bool:
        return any(cause.get(key) in changed for key in ("method", "at", "held_by"))

    places, causes = [], []
    for kind in document["kinds"]:
        causes += [cause for cause in kind["found"] if cause["tier"] == "cause"]
        if kind["kind"] in set(concerned):
            methods = list(dict.fromkeys((cause["method"], leads(cause)) for cause in kind["found"]))
            places += [place for place, (_, leading) in enumerate(methods, 1) if leading][:1]
    others = dict.fromkeys(cause["method"] for cause in causes if not leads(cause))
    answer = str(document["answer"])
    return Answer(
        name,
        release,
        min(places, default=0),
        any(f"`{method}`" in answer for method in changed),
        any(map(leads, causes)),
        " ".join(others) or NONE,
        round(seconds, 1),
    )


def named_at_all(answers: Sequence[Answer]) -> Iterator[str]:
    """Return a line on how many of the pairs in which nothing is to be explained have a cause named."""
    yield f"anything named: {sum(answer.others != NONE for answer in answers)} of {len(answers)}"


def summary(answers: Sequence[Answer]) -> Iterator[str]:
    """Return lines on how many of the changes were found."""
    counts = {
        "first of its kind": sum(answer.place == 1 for answer in answers),
        f"among the first {FEW}": sum(1 <= answer.place <= FEW for answer in answers),
        "in the sentence": sum(answer.answered for answer in answers),
        "named as a cause": sum(answer.named for answer in answers),
        "something else named": sum(answer.others != NONE for answer in answers),
    }
    for what, count in counts.items():
        yield f"{what}: {count} of {len(answers)}"
