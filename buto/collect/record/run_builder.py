"""Build the run from what was observed of a launch that has ended. The same for both collectors."""

from __future__ import annotations

import math
from dataclasses import dataclass

from buto.collect.jvm import exit_status
from buto.collect.jvm.selection import main_name
from buto.collect.process.launch import Ending, Launch
from buto.collect.process.program_files import program_digest
from buto.collect.record import quality
from buto.collect.record.quality import Sampling
from buto.collect.record.recording import Recording
from buto.runs import Outcome, Problem, Run
from buto.runs.model import INPUT_READ, PROGRAM


@dataclass(frozen=True, slots=True)
class ObservedLaunch:
    """What a collector observed of a launch that has ended.

    Attributes:
        ending: of the command's own process.
        timed_out: whether it was stopped at its time limit.
        duration_s: from the program's start to its end.
        last_sample: where the last row comes from, see Outcome.
        sampled: how well the samples cover the run.
        foreign_load: mean share of the visible cores that others used, NaN if unknown.
        command: of the measured JVM; empty if not known.
        code: of the measured JVM, see :func:`buto.collect.jvm.exit_status.code_of`.
        orderly: whether its exit hook ran, as far as known; None if the JVM is the command's own
            process, whose exit code shows its end.
        others: other JVMs that were seen.
    """

    ending: Ending
    timed_out: bool
    duration_s: float
    last_sample: str
    sampled: Sampling
    foreign_load: float
    command: str
    code: int | None
    orderly: bool | None
    others: tuple[str, ...]


def build_run(
    launch: Launch, recording: Recording, seen: ObservedLaunch, problems: tuple[Problem, ...]
) -> Run:
    """Finish the recording with its outcome, metadata of the JVM and the run's quality.

    Args:
        problems: found by the collector; listed after a bad end of the JVM and before sampling problems.
    """
    outcome = Outcome(
        exit_code=None if seen.timed_out else seen.ending.exit_code,
        signal=None if seen.timed_out else seen.ending.signal,
        timed_out=seen.timed_out,
        duration_s=seen.duration_s,
        last_sample=seen.last_sample,
    )
    bad_end = None
    if seen.orderly is not None and not seen.timed_out:
        bad_end = exit_status.problem(launch.target.expected_exit, seen.code, orderly=seen.orderly)
    recording.metadata |= {
        "host.load.foreign": None if math.isnan(seen.foreign_load) else round(seen.foreign_load, 3),
        "buto.jvm": main_name(seen.command) or None,
        "buto.jvm.exit": seen.code,
        "buto.jvms.others": ", ".join(seen.others),
        "buto.left_over.processes": launch.n_left_over,
        INPUT_READ: launch.input.was_read(),
        PROGRAM: program_digest(recording.metadata),
    }
    slow = quality.slow_beans(recording, seen.sampled, launch.target.interval_s)
    more = (*([bad_end] if bad_end else []), *problems, *slow)
    judged = quality.quality_of(launch.target, outcome, seen.sampled, seen.foreign_load, more=more)
    return recording.finish(outcome, judged, stdout=launch.kept_stdout(), stderr=launch.kept_stderr())
