"""Records of one kind in a CSV file, to which a long measurement adds as it goes."""

from __future__ import annotations

import csv
from collections.abc import Callable, Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, get_type_hints

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    Record = TypeVar("Record", bound=DataclassInstance)


def read(path: Path, kind: type[Record]) -> list[Record]:
    """Return the records of a file; none if it is not there.

    Args:
        kind: a dataclass whose fields are texts, numbers and booleans.
    """
    if not path.exists():
        return []
    types: dict[str, Callable[[str], Any]] = get_type_hints(kind)
    types = {name: _truth if reader is bool else reader for name, reader in types.items()}
    with path.open(encoding="utf-8", newline="") as rows:
        return [kind(**{name: of(row[name]) for name, of in types.items()}) for row in csv.DictReader(rows)]


def add(path: Path, some: Sequence[Record]) -> None:
    """Add records to a file, which is made if it is not there."""
    if not some:
        return
    is_new = not path.exists()
    with path.open("a", encoding="utf-8", newline="") as out:
        rows = csv.writer(out, lineterminator="\n")
        if is_new:
            rows.writerow([field.name for field in fields(some[0])])
        rows.writerows(asdict(record).values() for record in some)


def _truth(text: str) -> bool:
    return text == str(True)
