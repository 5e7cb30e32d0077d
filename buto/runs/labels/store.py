"""Labels in a store: ``labels/TEST/ID.json``, a file for each labelling. Format: docs/formats/labels.md."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, ClassVar

from buto.runs import names
from buto.runs.entries import EntryStore
from buto.runs.files.reading import parse_json
from buto.runs.labels.model import ACCEPT, Label, Labelling
from buto.runs.storage.place import Place

FORMAT, VERSION = "buto-label", 2
"""Version 1 did not tell changes on purpose from false alarms."""

_READABLE = (1, VERSION)


class _Entries(EntryStore):
    kind: ClassVar[str] = "labels"
    noun: ClassVar[str] = "label"
    loss: ClassVar[str] = "the label is lost (if a newer buto wrote it, read it with that one)"


class LabelStore:
    """The labels of the runs in one store. They stay when their runs are deleted.

    Args:
        root: the root of the runs, see :class:`buto.runs.store.RunStore`.
    """

    def __init__(self, root: Place) -> None:
        self._entries = _Entries(root)

    def add(self, labelling: Labelling) -> Labelling:
        """Store a labelling and return it, with a later time if the clock was put back since the last one.

        Raises:
            StorageError: it cannot be written; nothing is left behind.
            BadFileError: see :meth:`all`.
            UsageError: the test's name cannot be stored.
        """
        last = max((one.at for one in self.all(labelling.test)), default=None)
        if last is not None and labelling.at <= last:
            labelling = replace(labelling, at=last + timedelta(microseconds=1))
        text = json.dumps(_to_data(labelling), indent=1, ensure_ascii=False, allow_nan=False)
        self._entries.add(labelling.test, f"{text}\n".encode(errors="replace"))
        return labelling

    def all(self, test: str) -> list[Labelling]:
        """Return the labellings of a test's runs by time; BadFileError if one of them is damaged or newer."""

        def read(content: bytes) -> dict[str, Any]:
            one = labelling_of(content)
            if one.test != test:
                raise ValueError(f"it belongs to {one.test!r}")
            return _to_data(one)

        found = self._entries.found(test, f"{FORMAT} {VERSION}", read, _of)
        return sorted(found, key=lambda one: one.at)


def labelling_of(content: bytes) -> Labelling:
    """Return the labelling in a file; ValueError if it is not one, or of a newer version."""
    return _of(parse_json(content))


def _to_data(labelling: Labelling) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "version": VERSION,
        "test": labelling.test,
        "label": labelling.label.value,
        "runs": list(labelling.run_ids),
        "at": labelling.at.isoformat(),
        "command": labelling.command,
        "person": labelling.person,
        "reason": labelling.reason,
        "meant": labelling.meant,
    }


def _of(data: Any) -> Labelling:
    """Return the labelling that :func:`_to_data` wrote; ValueError for other data."""
    if not isinstance(data, Mapping) or data.get("format") != FORMAT:
        raise ValueError(f"it is not marked as a {FORMAT}")
    version = data.get("version")
    if version not in _READABLE:
        raise ValueError(f"it is of version {version!r}; this buto reads {' and '.join(map(str, _READABLE))}")
    try:
        texts = [data[key] for key in ("test", "at", "command", "person", "reason")]
        runs = data["runs"]
        label = Label(data["label"])
        # What was accepted was meant; what a person called good was most often a false alarm.
        meant = data["meant"] if version == VERSION else data["command"] == ACCEPT
    except KeyError as error:
        raise ValueError(f"it has no {error}") from None
    if not all(isinstance(text, str) for text in texts):
        raise ValueError("test, at, command, person and reason must be texts")
    if not isinstance(runs, list) or not all(isinstance(one, str) and names.is_id(one) for one in runs):
        raise ValueError("runs must be ids of runs")
    if meant not in (True, False):
        raise ValueError("meant must be true or false")
    test, at, command, person, reason = texts
    moment = datetime.fromisoformat(at)
    # At the ends of the calendar, other time zones and later times cannot be expressed.
    if moment.tzinfo is None or not 1970 <= moment.year < 9999:
        raise ValueError(f"its time must have a time zone and be after 1970, got {at!r}")
    return Labelling(test, tuple(runs), label, moment, command, person, reason, bool(meant))
