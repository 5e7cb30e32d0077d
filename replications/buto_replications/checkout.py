"""What only a checkout of buto's repository has: recorded runs, and configurations of the test programs."""

from __future__ import annotations

import os
from pathlib import Path

from buto.errors import BadFileError

_PACKAGE = Path("replications") / "buto_replications"


def checkout_of(package: Path, here: Path) -> Path:
    """Return the checkout that a package is part of, or else the directory ``here`` if that is one."""
    own = package.parents[1]
    return here if not (own / _PACKAGE).is_dir() and (here / _PACKAGE).is_dir() else own


CHECKOUT = checkout_of(Path(__file__).parent, Path.cwd())
DATA = CHECKOUT / "data"
CONFIGURATIONS = CHECKOUT / "configs"


def recorded(named: Path | None, place: Path) -> Path:
    """Return the data set that a user named, or else the one at a place in the checkout.

    The checkout is the one that this package was imported from, or the working directory. A user may also
    name another checkout, or its ``data``.

    Raises:
        BadFileError: none was named, and there is no checkout.
    """
    below = place.relative_to(CHECKOUT) if place.is_relative_to(CHECKOUT) else Path(place.name)
    if named is not None:
        inside = (named / below, named.joinpath(*below.parts[1:]))
        return next((path for path in inside if os.path.isdir(path)), named)
    if not place.is_dir():
        raise BadFileError(
            "the installed package contains no recorded runs",
            advice=f"change to a checkout of buto's repository, or name the data: --data CHECKOUT/{below}",
        )
    return place
