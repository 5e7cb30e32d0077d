"""From a configuration's ``judge`` to a detector's settings, and the JSON schema of ``judge``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from buto.detectors.calibrated.settings import CALIBRATED
from buto.detectors.keys import Key
from buto.detectors.registry import DETECTORS, detector, detector_of_preset, names
from buto.detectors.settings import Settings
from buto.errors import UsageError

DEFAULT = CALIBRATED

S = TypeVar("S", bound=Settings)


def presets() -> dict[str, Settings]:
    """Return the presets of buto's own detectors by name, which imports them."""
    return {name: settings for found in map(detector, DETECTORS) for name, settings in found.presets.items()}


def settings_from(judge: Mapping[str, Any]) -> Settings:
    """Return settings from a configuration's ``judge`` (or :meth:`Settings.to_data`).

    A preset (default ``calibrated``) and what departs from it.

    Raises:
        UsageError: an unknown key or name, a value out of range, or a key that makes no sense beside others;
            the message says which.
        BrokenDetectorError: the detector is of another package and cannot be used.
    """
    preset = judge.get("preset", DEFAULT.preset)
    settings: Settings = detector_of_preset(preset).presets[preset]
    return changed(settings, judge)


def changed(settings: S, judge: Mapping[str, Any]) -> S:
    """Return the same settings with what ``judge`` says, see :func:`settings_from`."""
    if "detector" in judge:
        settings = settings.with_value("detector", _other_detector(settings, judge["detector"]))
    own = {key.name: key for key in detector(settings.detector).keys}
    for name, value in judge.items():
        if name in ("preset", "detector"):
            continue
        key = own[name] if name in own else _foreign(name, own)
        if not key.accepts(value):
            raise _wrong(name, value, key.expected)
        settings = settings.with_value(name, value)
    for name in judge:
        if name not in ("preset", "detector", *own):
            raise _not_of_preset(name, settings.preset)
    settings.check(tuple(judge))
    return settings


def with_alpha(settings: S, alpha: float) -> S:
    """Return the same settings at another alpha. UsageError if it is not a share, or there is no alpha."""
    return changed(settings, {"alpha": alpha})


def judge_schema(third_party: Sequence[str] = ()) -> dict[str, Any]:
    """Return the JSON schema of ``judge``.

    Args:
        third_party: names of other packages' detectors whose keys and presets belong to it.
    """
    chosen = (*DETECTORS, *third_party)
    known = [preset for name in chosen for preset in detector(name).presets]
    return {
        "title": "settings of the judgement",
        "type": "object",
        "additionalProperties": False,
        "properties": {
            "preset": {
                "description": f"What the other settings begin as; default {DEFAULT.preset}.",
                "enum": known,
            },
            "detector": {"description": "What judges.", "enum": sorted(chosen)},
            **{name: _schema(name, chosen) for name in _keys(chosen)},
        },
    }


def _schema(name: str, chosen: Sequence[str]) -> dict[str, Any]:
    """Return the schema of a key; if detectors define it differently, of what any of them accepts."""
    schemas: list[dict[str, Any]] = []
    titles: dict[str, None] = {}
    for key in (key for one in chosen for key in detector(one).keys if key.name == name):
        titles.setdefault(key.expected)
        if dict(key.schema) not in schemas:
            schemas.append(dict(key.schema))
    return schemas[0] if len(schemas) == 1 else {"title": ", or ".join(titles), "anyOf": schemas}


def _keys(chosen: Sequence[str]) -> dict[str, Key]:
    """Return keys by name; the first detector that has a key defines it."""
    found: dict[str, Key] = {}
    for name in chosen:
        for key in detector(name).keys:
            found.setdefault(key.name, key)
    return found


def _foreign(name: str, own: Mapping[str, Key]) -> Key:
    """Return the key of another detector of buto; they are imported only to name the key in an error."""
    known = {**_keys(tuple(DETECTORS)), **own}
    if name not in known:
        listed = ", ".join(("preset", "detector", *known))
        raise UsageError(f"judge: unknown key {name!r}", advice=f"known are: {listed}")
    return known[name]


def _other_detector(settings: Settings, name: object) -> str:
    """Return the name of a detector that these settings are for; UsageError for another one."""
    if name == settings.detector:
        return settings.detector
    if not isinstance(name, str) or name not in names():
        raise _wrong("detector", name, " or ".join(sorted(names())))
    first = next(iter(detector(name).presets.values()))
    if type(first) is not type(settings):
        raise _wrong("detector", name, f"the detector of the preset {settings.preset}")
    return name


def _not_of_preset(name: str, preset: str) -> UsageError:
    others = [
        one
        for found in map(detector, DETECTORS)
        for one, settings in found.presets.items()
        if name in _names_of(found.keys) and settings.has(name)
    ]
    return UsageError(
        f"judge: {name} is no setting of the preset {preset}",
        advice=f"it goes with preset: {' or '.join(others)}",
    )


def _names_of(keys: Sequence[Key]) -> set[str]:
    return {key.name for key in keys}


def _wrong(key: str, value: object, expected: str) -> UsageError:
    return UsageError(f"judge: {key}: {value!r} is not {expected}")
