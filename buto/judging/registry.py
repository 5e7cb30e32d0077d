"""Which methods of judging there are.

Buto has two methods; other packages add theirs by the entry-point group ``buto.detectors``, with the method's
name as that of the entry point. A detector is imported when it is asked for by name.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from buto.errors import UsageError
from buto.extensions import Extensions

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from buto.judging.protocol import Comparison, Detector
    from buto.judging.settings import Settings


DETECTORS = {
    "calibrated": "buto.judging.detector:CalibratedDetector",
    "thesis": "buto.judging.thesis.detector:BoundsDetector",
}
"""Where the detector of each of buto's own methods is."""

PACKAGES = dict.fromkeys(("shang", "shang-calibrated", "foo", "history", "machines"), "replications")
"""Methods of the papers, by the package of this repository that has them."""


COMPARISON = "buto.judging.comparison:Programs"


class UnknownDetectorError(UsageError):
    """There is no such method: its name is wrong, or its package is not installed."""


class BrokenDetectorError(UsageError):
    """A detector of another package that cannot be used."""


EXTENSIONS = Extensions("buto.detectors", "detector", BrokenDetectorError, PACKAGES)


def detector(method: object) -> type[Detector[Any]]:
    """Return the detector of a method.

    Raises:
        BrokenDetectorError: it is of another package and cannot be used.
        UnknownDetectorError: there is no such method.
    """
    if isinstance(method, str):
        if method in DETECTORS:
            own: type[Detector[Any]] = _import_detector(DETECTORS[method])
            return own
        added = EXTENSIONS.find(method)
        if added is not None:
            return _check(*added)
    raise UnknownDetectorError(
        f"judge: method: {method!r} is not {' or '.join(names())}", advice=EXTENSIONS.missing(str(method))
    )


def comparison(
    settings: Settings,
    alpha: float | None = None,
    runs: int | None = None,
    before: object | None = None,
) -> Comparison:
    """Return what compares two programs of a test with these settings.

    Args:
        alpha: instead of that of the settings.
        runs: how many of each to launch; None for as many as decide.
        before: what is known of both, see :meth:`FittedDetector.before`; None for nothing.

    Raises:
        UsageError: alpha is not a share.
    """
    comparer: Comparison = _import_detector(COMPARISON)(settings, alpha, runs, before)
    return comparer


def alpha_of(settings: Settings) -> float:
    """Return the share of checks of unchanged programs that may fail by the rule of a check."""
    return comparison(settings).alpha


def names() -> tuple[str, ...]:
    """Return the names of all methods; nothing is imported."""
    return (*DETECTORS, *third_party())


def third_party() -> tuple[str, ...]:
    """Return the names of other packages' methods; nothing is imported."""
    return tuple(sorted(EXTENSIONS.names() - DETECTORS.keys()))


def _import_detector(place: str) -> Any:
    module, _, attribute = place.partition(":")
    return getattr(import_module(module), attribute)


def _check(entry: EntryPoint, candidate: Any) -> type[Detector[Any]]:
    from buto.judging.protocol import Detector

    if not (isinstance(candidate, type) and issubclass(candidate, Detector)):
        raise EXTENSIONS.error_for(
            entry, f"{entry.value} is not a subclass of buto.judging.protocol.Detector"
        )
    if getattr(candidate, "name", None) != entry.name:
        raise EXTENSIONS.error_for(entry, f"{entry.value} calls itself {getattr(candidate, 'name', None)!r}")
    return candidate
