"""What only a checkout of buto's repository has: recorded runs, and configurations of the test programs."""

from __future__ import annotations

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

    The checkout is the one that this package was imported from, or the working directory.

    Raises:
        BadFileError: none was named, and there is no checkout.
    """
    if named is None and not place.is_dir():
        below = place.relative_to(CHECKOUT) if place.is_relative_to(CHECKOUT) else place.name
        raise BadFileError(
            "the installed package contains no recorded runs",
            advice=f"change to a checkout of buto's repository, or name the data: --data CHECKOUT/{below}",
        )
    return named or place
