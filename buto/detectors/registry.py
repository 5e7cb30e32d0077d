"""Which detectors there are: buto's own, and other packages', by the entry-point group ``buto.detectors``.

An entry point's name is the detector's name. A detector is imported when it is asked for by name, so that
looking at the registry costs nothing and a broken package harms only the tests that use it.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from buto.errors import UsageError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from buto.detectors.protocol import Detector

GROUP = "buto.detectors"

DETECTORS = {
    "calibrated": (
        "buto.detectors.calibrated.detector:CalibratedDetector",
        ("calibrated", "calibrated-next"),
    ),
    "bounds": ("buto.detectors.bounds.detector:BoundsDetector", ("sustained", "thesis")),
    "regression-models": (
        "buto.detectors.regression_models.detector:RegressionModelsDetector",
        ("shang", "shang-calibrated"),
    ),
    "ensemble": ("buto.detectors.ensemble.detector:EnsembleDetector", ("foo",)),
}
"""buto's own detectors by name: where the class is, and its presets."""

_IMPORT_FAILURES = (
    ImportError,
    AttributeError,
    SyntaxError,
    NameError,
    TypeError,
    ValueError,
    OSError,
    RuntimeError,
    LookupError,
)
"""What importing a module of another package may raise."""


class UnknownDetectorError(UsageError):
    """There is no such detector or preset: its name is wrong, or its package is not installed."""


class BrokenDetectorError(UsageError):
    """A detector of another package that cannot be used."""


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
    entries = [one for one in _entry_points() if one.name == name]
    if not entries:
        raise UnknownDetectorError(f"judge: detector: {name!r} is not {' or '.join(sorted(names()))}")
    if len(entries) > 1:
        packages = " and ".join(sorted(map(_package, entries)))
        raise BrokenDetectorError(
            f"the detector {name!r} is in more than one package: {packages}", advice="uninstall one of them"
        )
    return _loaded(entries[0])


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
    return tuple(sorted({one.name for one in _entry_points()} - DETECTORS.keys()))


def presets_known() -> tuple[str, ...]:
    """Return the presets of buto's own detectors, and the names of other packages'; nothing is imported."""
    return (*(preset for _, presets in DETECTORS.values() for preset in presets), *third_party())


def _loaded(entry: EntryPoint) -> type[Detector[Any]]:
    from buto.detectors.protocol import Detector

    try:
        found = entry.load()
    except _IMPORT_FAILURES as error:
        raise _broken(entry, f"{type(error).__name__}: {error}") from error
    if not (isinstance(found, type) and issubclass(found, Detector)):
        raise _broken(entry, f"{entry.value} is not a subclass of buto.detectors.protocol.Detector")
    if getattr(found, "name", None) != entry.name:
        raise _broken(entry, f"{entry.value} calls itself {getattr(found, 'name', None)!r}")
    return found


def _broken(entry: EntryPoint, what: str) -> BrokenDetectorError:
    package = _package(entry)
    return BrokenDetectorError(
        f"the detector {entry.name!r} of the package {package!r} cannot be used: {what}",
        advice=f"pip install --upgrade {package}",
    )


def _package(entry: EntryPoint) -> str:
    return entry.dist.name if entry.dist is not None else entry.module


@cache
def _entry_points() -> tuple[EntryPoint, ...]:
    # Imported here: it takes a while, and most programs use only buto's own detectors.
    from importlib.metadata import entry_points

    return tuple(entry_points(group=GROUP))
