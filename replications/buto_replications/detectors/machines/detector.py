"""The method ``machines``: the judge, and on a machine that training does not know an estimate."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import structs

from buto.judging import machines
from buto.judging.alarms import Selftest
from buto.judging.detector import CalibratedDetector
from buto.judging.judge_settings import CALIBRATED, JudgeSettings
from buto.judging.protocol import FittedDetector, Share, here
from buto.judging.settings import Settings
from buto.run.model import RunSet
from buto_replications.detectors.machines.fitted import FittedElsewhere, learn, read_elsewhere
from buto_replications.detectors.machines.selftest import left_out

NAME = "machines"


class MachinesSettings(JudgeSettings):
    """Those of the judge, below the method's name."""

    def to_data(self) -> dict[str, Any]:
        return Settings.to_data(self)


class MachinesDetector(CalibratedDetector):
    """Learns a :class:`FittedElsewhere` from runs of several environments, else what the judge learns."""

    name = NAME
    defaults = MachinesSettings(method=NAME, where_read=CALIBRATED.where_read)

    def fit_machines(self, runs: RunSet) -> FittedDetector:
        return learn(runs, self.settings, self.fit_alike)

    def read_machines(self, data: Mapping[str, Any]) -> FittedDetector:
        known = machines.read(data, self.settings, self.from_data)
        return read_elsewhere(data, known) if machines.ELSEWHERE in data else known

    def selftest(self, runs: RunSet, n_training: int, share: Share = here) -> Selftest:
        """Judge unchanged runs by one another, and each environment by all others."""
        rates = CalibratedDetector.selftest(self, runs, n_training, share)
        fitted = self.fit(runs)
        if not isinstance(fitted, FittedElsewhere):
            return rates
        alarms, why = left_out(fitted.whole, self.settings)
        return structs.replace(rates, left_out=alarms, not_left_out=why)
