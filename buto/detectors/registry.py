"""Which detectors there are: buto's own, and other packages', by the entry-point group ``buto.detectors``.

An entry point's name is the detector's name. A detector is imported when it is asked for by name.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from buto.errors import UsageError
from buto.extensions import Extensions

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from buto.detectors.protocol import Detector

DETECTORS = {
    "calibrated": (
        "buto.detectors.calibrated.detector:CalibratedDetector",
        ("calibrated",),
    ),
    "bounds": ("buto.detectors.bounds.detector:BoundsDetector", ("sustained", "thesis")),
    "regression-models": (
        "buto.detectors.regression_models.detector:RegressionModelsDetector",
        ("shang", "shang-calibrated"),
    ),
    "ensemble": ("buto.detectors.ensemble.detector:EnsembleDetector", ("foo",)),
    "history": ("buto.detectors.history.detector:HistoryDetector", ("history",)),
}
"""buto's own detectors by name: where the class is, and its presets."""


class UnknownDetectorError(UsageError):
    """There is no such detector or preset: its name is wrong, or its package is not installed."""


class BrokenDetectorError(UsageError):
    """A detector of another package that cannot be used."""


EXTENSIONS = Extensions("buto.detectors", "detector", BrokenDetectorError)


def detector(name: str) -> type[Detector[Any]]:
    """Return a detector by its name.

    Raises:
        BrokenDetectorError: it is of another package and cannot be used.
        UnknownDetectorError: there is none of that name.
    """
    if name in DETECTORS:
        module, _, attribute = DETECTORS[name][0].partition(":")
        own: type[Detector[Any]] = getattr(import_module(module), attribute)
        return own
    added = EXTENSIONS.find(name)
    if added is None:
        raise UnknownDetectorError(f"judge: detector: {name!r} is not {' or '.join(sorted(names()))}")
    return _checked(*added)


def detector_of_preset(preset: object) -> type[Detector[Any]]:
    """Return the detector that has a preset.

    A detector of another package has presets that are called as itself, or begin with its name and a hyphen.

    Raises:
        BrokenDetectorError: it is of another package and cannot be used.
        UnknownDetectorError: there is no such preset.
    """
    for name, (_, presets) in DETECTORS.items():
        if preset in presets:
            return detector(name)
    for name in packaged(preset):
        return detector(name)
    raise UnknownDetectorError(f"judge: preset: {preset!r} is not {' or '.join(presets_known())}")


def packaged(preset: object) -> tuple[str, ...]:
    """Return the name of the other package's detector that has a preset, or nothing.

    Raises:
        BrokenDetectorError: it cannot be used.
    """
    for name in third_party() if isinstance(preset, str) and not _is_own(preset) else ():
        if (preset == name or str(preset).startswith(f"{name}-")) and preset in detector(name).presets:
            return (name,)
    return ()


def _is_own(preset: object) -> bool:
    return any(preset in presets for _, presets in DETECTORS.values())


def names() -> tuple[str, ...]:
    """Return the names of all detectors; nothing is imported."""
    return (*DETECTORS, *third_party())


def third_party() -> tuple[str, ...]:
    """Return the names of other packages' detectors; nothing is imported."""
    return tuple(sorted(EXTENSIONS.names() - DETECTORS.keys()))


def presets_known() -> tuple[str, ...]:
    """Return the presets of buto's own detectors, and the names of other packages'; nothing is imported."""
    return (*(preset for _, presets in DETECTORS.values() for preset in presets), *third_party())


def _checked(entry: EntryPoint, found: Any) -> type[Detector[Any]]:
    from buto.detectors.protocol import Detector

    if not (isinstance(found, type) and issubclass(found, Detector)):
        raise EXTENSIONS.broken(entry, f"{entry.value} is not a subclass of buto.detectors.protocol.Detector")
    if getattr(found, "name", None) != entry.name:
        raise EXTENSIONS.broken(entry, f"{entry.value} calls itself {getattr(found, 'name', None)!r}")
    return found
