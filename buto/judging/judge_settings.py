"""Settings of the judge: its level, which direction fails, and which size of a change matters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Self

from buto.judging.effects import MINIMUM_EFFECT, effects_from, is_effect
from buto.judging.settings import Settings
from buto.judging.stored import ALPHA, COMMON, Key, choice

NAME = "calibrated"


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeSettings(Settings):
    """What a user may set.

    Attributes:
        alpha: share of checks of an unchanged program that may fail.
        fail_on: ``any`` change, or only one for the ``worse``.
        minimum_effect: shell patterns of properties and the smallest change that fails a check, see
            :mod:`buto.judging.effects`; they take precedence over the usual sizes.
    """

    alpha: float = 0.01
    fail_on: str = "any"
    minimum_effect: Mapping[str, str] = field(default_factory=dict)

    def with_value(self, key: str, value: Any) -> Self:
        if key == MINIMUM_EFFECT:
            return replace(self, minimum_effect=effects_from(value))
        if key in ("alpha", "fail-on"):
            return replace(self, **{key.replace("-", "_"): value})
        return Settings.with_value(self, key, value)

    def own(self) -> dict[str, Any]:
        own = {"alpha": self.alpha, "fail-on": self.fail_on, MINIMUM_EFFECT: dict(self.minimum_effect)}
        return own | Settings.own(self)

    def to_data(self) -> dict[str, Any]:
        """Return the value of ``judge``: the keys of the default method stand there themselves."""
        return self.flat()


CALIBRATED = JudgeSettings(method=NAME, where_read=True)
"""One p-value for a check, over all properties and times."""


def _are_effects(value: Any) -> bool:
    if isinstance(value, Mapping):
        return all(is_effect(str(size)) for size in value.values())
    return not isinstance(value, bool | list | tuple) and is_effect(str(value))


KEYS = (
    ALPHA,
    choice("fail-on", "Which changes fail a check.", "any", "worse"),
    Key(
        MINIMUM_EFFECT,
        {
            "title": "a quantity, or a mapping from shell patterns of properties to quantities",
            "description": "The smallest change that fails a check: in the property's unit, as a share of "
            "its level, or both (5% and 1MiB); 0 if every certain change does, never if none does. Smaller "
            "changes are noted.",
            "type": ["object", "string", "number"],
            "additionalProperties": {"type": ["string", "number"]},
            "examples": ["{jvm.memory.heap.*: 64KiB, jvm.cpu.time: 5%}"],
        },
        _are_effects,
        "a quantity, or a mapping from shell patterns of properties to quantities (64KiB, 3, 5%, "
        "5% and 1MiB, never)",
    ),
    *COMMON,
)
