"""Numbers that were predicted beside those that were measured."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from buto.experiments.architecture.outcomes import Judged
from buto.verdicts import Status
from buto_predict.prediction.model import Interval


@dataclass(frozen=True, slots=True)
class Number:
    """A predicted mean response time in seconds, or busy share of the cores, beside the measured one.

    Attributes:
        what: the endpoint, or ``cores``.
        utilisation: the measured busy share of the cores.
    """

    version: str
    load: str
    what: str
    predicted: float
    measured: float
    utilisation: float

    @property
    def error(self) -> float:
        """As a share of the measured number."""
        return self.predicted / self.measured - 1


@dataclass(frozen=True, slots=True)
class Change:
    """What a version changed at one endpoint, as it was measured and as it was predicted.

    Attributes:
        measured, predicted: new over old mean response time, less 1.
        measured_delta, predicted_delta: Cliff's delta of single response times.
        significant: whether the measured response times differ significantly.
        interval: of the predicted delta.
        status: of the prediction.
    """

    version: str
    load: str
    endpoint: str
    measured: float
    predicted: float
    measured_delta: float
    significant: bool
    predicted_delta: float
    interval: Interval
    status: Status


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The comparison of a recording, or of a part of it.

    Attributes:
        changed: the changed versions under each load, as far as they were measured.
        unchanged: the others, under each load; their truth is how they were made.
        changes: of all versions but the old one, by endpoint, as far as they were measured.
        numbers: of all versions, as far as they were measured; of the old one only under loads that the model
            was not learned from.
        lacking: versions and loads without measurements.
    """

    changed: tuple[Judged, ...] = ()
    unchanged: tuple[Judged, ...] = ()
    changes: tuple[Change, ...] = ()
    numbers: tuple[Number, ...] = ()
    lacking: tuple[str, ...] = ()


def joined(parts: Iterable[Evaluation]) -> Evaluation:
    """Return the comparisons of several parts of a recording as one, in their order."""
    known = tuple(parts)
    return Evaluation(
        changed=tuple(one for part in known for one in part.changed),
        unchanged=tuple(one for part in known for one in part.unchanged),
        changes=tuple(one for part in known for one in part.changes),
        numbers=tuple(one for part in known for one in part.numbers),
        lacking=tuple(one for part in known for one in part.lacking),
    )
