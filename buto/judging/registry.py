"""Which methods of judging there are, and from a configuration's ``judge`` to a method's settings.

Buto has two methods; other packages add theirs by the entry-point group ``buto.detectors``. A detector is
imported when it is asked for by name. An entry point's name is the method's.

The keys of the default method stand in ``judge`` itself, those of any other below its name:
``judge: {method: thesis, thesis: {window: 5}}``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar

from buto.errors import UsageError
from buto.extensions import Extensions
from buto.judging.calibrated.settings import CALIBRATED
from buto.judging.settings import Settings

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from buto.judging.protocol import Comparison, Detector


DETECTORS = {
    "calibrated": "buto.judging.calibrated.detector:CalibratedDetector",
    "thesis": "buto.judging.thesis.detector:BoundsDetector",
}
"""Where the detector of each of buto's own methods is."""

PACKAGES = dict.fromkeys(("shang", "shang-calibrated", "foo", "history"), "buto-replications")
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
            own: type[Detector[Any]] = _imported(DETECTORS[method])
            return own
        added = EXTENSIONS.find(method)
        if added is not None:
            return _checked(*added)
    raise UnknownDetectorError(
        f"judge: method: {method!r} is not {' or '.join(names())}", advice=EXTENSIONS.missing(str(method))
    )


def comparison(settings: Settings, alpha: float | None = None, *, paired: bool = False) -> Comparison:
    """Return what compares two programs of a test with these settings.

    Args:
        alpha: instead of that of the settings.
        paired: whether the two run at the same time, in pairs.

    Raises:
        UsageError: alpha is not a share.
    """
    found: Comparison = _imported(COMPARISON)(settings, alpha, paired=paired)
    return found


def names() -> tuple[str, ...]:
    """Return the names of all methods; nothing is imported."""
    return (*DETECTORS, *third_party())


def third_party() -> tuple[str, ...]:
    """Return the names of other packages' methods; nothing is imported."""
    return tuple(sorted(EXTENSIONS.names() - DETECTORS.keys()))


def _imported(place: str) -> Any:
    module, _, attribute = place.partition(":")
    return getattr(import_module(module), attribute)


def _checked(entry: EntryPoint, found: Any) -> type[Detector[Any]]:
    from buto.judging.protocol import Detector

    if not (isinstance(found, type) and issubclass(found, Detector)):
        raise EXTENSIONS.broken(entry, f"{entry.value} is not a subclass of buto.judging.protocol.Detector")
    if getattr(found, "name", None) != entry.name:
        raise EXTENSIONS.broken(entry, f"{entry.value} calls itself {getattr(found, 'name', None)!r}")
    return found


DEFAULT = CALIBRATED
METHOD = "method"

S = TypeVar("S", bound=Settings)


def gone(key: str) -> str | None:
    """Return what to write in place of a key that ``judge`` had once; None for any other key."""
    if key not in ("preset", "detector"):
        return None
    return f"judge: {key} is gone: leave it out (the default is the judge), or judge: {{method: thesis}}"


def settings_from(judge: Mapping[str, Any]) -> Settings:
    """Return settings from a configuration's ``judge`` (or :meth:`Settings.to_data`).

    Raises:
        UsageError: an unknown key or method, a value out of range, or a key that does not go with others;
            the message says which.
        BrokenDetectorError: the method is of another package and cannot be used.
    """
    for message in filter(None, map(gone, judge)):
        raise UsageError(message)
    method = judge.get(METHOD, DEFAULT.method)
    settings: Settings = detector(method).defaults
    own = {key: value for key, value in judge.items() if key != METHOD}
    if method == DEFAULT.method:
        return changed(settings, own)
    below = own.pop(method, {})
    if own or not isinstance(below, Mapping):
        wrong = f"{', '.join(own)} is no setting" if own else f"{below!r} are no settings"
        raise UsageError(
            f"judge: {wrong} of method: {method}",
            advice=f"its settings stand below its name: judge: {{method: {method}, {method}: {{...}}}}",
        )
    return changed(settings, below)


def changed(settings: S, own: Mapping[str, Any]) -> S:
    """Return the same settings with other values of their method's keys. UsageError as above."""
    keys = {key.name: key for key in detector(settings.method).keys}
    within = "" if settings.method == DEFAULT.method else f"{settings.method}: "
    for name, value in own.items():
        if name not in keys:
            raise _unknown(within, name, keys)
        if not keys[name].accepts(value):
            raise UsageError(f"judge: {within}{name}: {value!r} is not {keys[name].expected}")
        settings = settings.with_value(name, value)
    settings.check(tuple(own))
    return settings


def with_alpha(settings: S, alpha: float) -> S:
    """Return the same settings at another alpha. UsageError if it is not a share, or there is no alpha."""
    return changed(settings, {"alpha": alpha})


def judge_schema(third_party: Sequence[str] = ()) -> dict[str, Any]:
    """Return the JSON schema of ``judge``.

    Args:
        third_party: names of other packages' methods whose keys belong to it.
    """
    methods = (*DETECTORS, *third_party)
    return {
        "title": "settings of the judgement",
        "type": "object",
        "additionalProperties": False,
        "properties": {
            METHOD: {
                "description": f"What judges; default {DEFAULT.method}. The settings of any other stand "
                "below its name.",
                "enum": [*methods],
            },
            **_schema_of_keys(DEFAULT.method),
            **{
                name: {
                    "title": f"settings of method: {name}",
                    "type": "object",
                    "additionalProperties": False,
                    "properties": _schema_of_keys(name),
                }
                for name in methods
                if name != DEFAULT.method
            },
        },
    }


def _schema_of_keys(method: str) -> dict[str, Any]:
    return {key.name: dict(key.schema) for key in detector(method).keys}


def _unknown(within: str, name: str, known: Mapping[str, Any]) -> UsageError:
    if not within and name in names():
        advice = f"judge: {{{METHOD}: {name}, {name}: {{...}}}}"
        return UsageError(f"judge: {name} has settings of another method", advice=advice)
    return UsageError(f"judge: {within}unknown key {name!r}", advice=f"known are: {', '.join(known)}")
