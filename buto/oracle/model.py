"""An oracle: what was learned from one test, and all that later checks need."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from buto.judging import registry
from buto.judging.alarms import Strength
from buto.judging.classifiers import MetadataModel, MetadataSettings
from buto.judging.protocol import Detector, FittedDetector
from buto.judging.settings import Settings
from buto.programs.named import UNKNOWN, OldProgram
from buto.run.display import Displayed
from buto.run.model import ClassHistogram

COMMIT_NAME = re.compile(r"[0-9a-f]{40,64}")
"""The full name of a commit, as git writes it where no tracked file differs."""


@dataclass(frozen=True, eq=False, slots=True)
class Oracle(Displayed):
    """The result of training, and the content of an oracle file.

    Attributes:
        test: name of the test.
        settings: how it was trained, and judges.
        run_ids: the training runs.
        environment: what all training runs were made in.
        fitted: the detector that has learned.
        target: plain data of how the program is started, for a later check; may be empty.
        warnings: what training left out, for people.
        foreign_load: the largest share of the cores that others used in a training run, NaN if unknown.
        edits: descriptions of what people edited in the file; empty after training.
        classes: the typical live objects at the end of the training runs, for reports; None unless all
            runs have a histogram of them.
        program: how the program that was trained on can be launched again.
        commit: the full name of git's commit in the directory of the command, if all training runs had the
            same and no tracked file differed from it; else empty.
        strengths: the smallest changes that a check detects of what everybody wants to know, as training has
            found them with these settings; None if that is not known.
    """

    test: str
    settings: Settings
    run_ids: tuple[str, ...]
    environment: MetadataModel
    fitted: FittedDetector
    target: Mapping[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    foreign_load: float = float("nan")
    edits: tuple[str, ...] = ()
    classes: ClassHistogram | None = None
    program: OldProgram = UNKNOWN
    commit: str = ""
    strengths: tuple[Strength, ...] | None = None

    @property
    def detector(self) -> Detector[Any]:
        """What has learned it, with its settings."""
        return registry.detector(self.settings.method)(self.settings)

    @property
    def metadata(self) -> MetadataSettings:
        """Which keys of metadata decide whether runs can be judged."""
        return self.detector.metadata

    def __repr__(self) -> str:
        return f"<Oracle of {self.test}: {len(self.run_ids)} training runs, method {self.settings.method}>"
