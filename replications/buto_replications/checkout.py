"""What only a checkout of buto's repository has: recorded runs, and configurations of the test programs."""

from __future__ import annotations

from pathlib import Path

from buto.errors import BadFileError

CHECKOUT = Path(__file__).parents[2]
DATA = CHECKOUT / "data"
CONFIGURATIONS = CHECKOUT / "configs"


def recorded(named: Path | None, place: Path) -> Path:
    """Return the data set that a user named, or else the one at a place in the checkout.

    Raises:
        BadFileError: none was named, and there is no checkout.
    """
    if named is None and not place.is_dir():
        below = place.relative_to(CHECKOUT) if place.is_relative_to(CHECKOUT) else place.name
        raise BadFileError(
            "the installed package contains no recorded runs",
            advice=f"--data DIR: {below} of buto's repository or a data set of your own",
        )
    return named or place
