"""Whether an oracle keeps its promise on unchanged programs: an A/A test of its detector."""

from __future__ import annotations

from buto.detectors import registry
from buto.detectors.alarms import Selftest
from buto.detectors.sharing import Share, here
from buto.oracle.model import Oracle
from buto.runs import RunSet
from buto.runs.window import measured_set


def promises_alarm_rate(oracle: Oracle) -> bool:
    """Return whether the oracle's detector promises a share of false alarms, which :func:`selftest` can
    measure.
    """
    return registry.detector(oracle.settings.method).promises_alarm_rate


def selftest(oracle: Oracle, runs: RunSet, n_training: int, share: Share = here) -> Selftest:
    """Judge runs of an unchanged program by one another, as the oracle judges.

    Args:
        runs: valid ones, in the order of their start.
        n_training: how many train each oracle.
        share: has the work done, here or elsewhere.

    Raises:
        JudgeError: there are too few runs, or the detector promises nothing.
    """
    return registry.detector(oracle.settings.method)(oracle.settings).selftest(
        measured_set(runs), n_training, share
    )
