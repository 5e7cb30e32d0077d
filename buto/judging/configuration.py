"""From a configuration's ``judge`` to a method's settings, and the JSON schema of ``judge``.

The keys of the default method stand in ``judge`` itself, those of any other below its name:
``judge: {method: thesis, thesis: {window: 5}}``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from buto.errors import UsageError
from buto.judging.judge_settings import CALIBRATED
from buto.judging.registry import DETECTORS, detector, names
from buto.judging.settings import Settings

if TYPE_CHECKING:
    pass


DEFAULT = CALIBRATED


METHOD = "method"


S = TypeVar("S", bound=Settings)


def replace_gone(key: str) -> str | None:
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
    for message in filter(None, map(replace_gone, judge)):
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
            **{name: {"$ref": f"#/definitions/judge-{name}"} for name in methods if name != DEFAULT.method},
        },
    }


def settings_schema(method: str) -> dict[str, Any]:
    """Return the JSON schema of the settings of another method than the default, below its name."""
    return {
        "title": f"settings of method: {method}",
        "type": "object",
        "additionalProperties": False,
        "properties": _schema_of_keys(method),
    }


def _schema_of_keys(method: str) -> dict[str, Any]:
    return {key.name: dict(key.schema) for key in detector(method).keys}


def _unknown(within: str, name: str, known: Mapping[str, Any]) -> UsageError:
    if not within and name in names():
        advice = f"judge: {{{METHOD}: {name}, {name}: {{...}}}}"
        return UsageError(f"judge: {name} has settings of another method", advice=advice)
    return UsageError(f"judge: {within}unknown key {name!r}", advice=f"known are: {', '.join(known)}")
