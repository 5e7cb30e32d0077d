"""Differences of two oracles of one test other than numbers: program, judgement, environment."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Any

from buto.oracle.model import Oracle
from buto.runs.metadata_text import metadata_texts

VARIES = "not the same in all runs"
ENVIRONMENT = "environment"


@dataclass(frozen=True, slots=True)
class Changed:
    """A difference other than a number.

    Attributes:
        part: ``target``, ``judge``, ``runs`` or ``environment``.
        old, new: as text; None where an oracle does not have it.
        decides: whether runs of the old environment could not be judged by the new oracle.
    """

    part: str
    key: str
    old: str | None
    new: str | None
    decides: bool = False


def surroundings(old: Oracle, new: Oracle) -> tuple[Changed, ...]:
    """Return what has changed, keys that decide before other metadata.

    If the methods differ, only settings that both have are compared, and their names; of metadata, what
    neither ignores.
    """
    changed = [*_changed("target", old.target, new.target)]
    if len(old.run_ids) != len(new.run_ids):
        changed.append(Changed("runs", "number", str(len(old.run_ids)), str(len(new.run_ids))))
    judged = [one.settings.flat() for one in (old, new)]
    both = judged[0].keys() & judged[1].keys() if old.settings.method != new.settings.method else None
    changed += [one for one in _changed("judge", *judged) if both is None or one.key in both]
    environments = [
        {**one.environment.values, **dict.fromkeys(one.environment.varying, VARIES)} for one in (old, new)
    ]
    decides = new.metadata.is_deciding
    ignored = (*old.settings.metadata.ignored, *new.settings.metadata.ignored)
    found = [
        replace(one, decides=decides(one.key))
        for one in _changed(ENVIRONMENT, *environments)
        if not any(fnmatchcase(one.key, pattern) for pattern in ignored)
    ]
    return (*changed, *sorted(found, key=lambda one: not one.decides))


def _changed(part: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[Changed]:
    for key in dict.fromkeys((*old, *new)):
        before, after = (_text(data[key]) if key in data else None for data in (old, new))
        if before is not None and after is not None and before != after and part == ENVIRONMENT:
            before, after = metadata_texts(key, before, after)
        if before != after:
            yield Changed(part, key, before, after)


def _text(value: Any) -> str:
    if isinstance(value, list | tuple):
        return " ".join(map(_text, value))
    return str(value)
