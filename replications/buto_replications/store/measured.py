"""The measured store: what is kept of a run, what was predicted for it, and what may be published.

A run is single response times, and how busy each process was. Published are results of component tests
without what they say about the machine: paths, host name, environment.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

from buto.errors import BadFileError
from buto.judging.verdict import Status
from buto_predict.prediction.model import Interval
from buto_replications.store.simulated import JudgedVersion

_MICRO = 1e6


@dataclass(frozen=True, slots=True)
class MeasuredRun:
    """One run.

    Attributes:
        responses_s: single response times by endpoint.
        busy: mean number of cores that each process kept busy.
        host_busy: the same, of all processes of the machine.
        foreign: cores that programs beside the store kept busy, on average.
    """

    version: str
    load: str
    run: str
    responses_s: Mapping[str, tuple[float, ...]]
    busy: Mapping[str, float]
    host_busy: float
    cores: int
    foreign: float


def write_measured(run: MeasuredRun, path: Path) -> None:
    """Write one run; microseconds are exact enough for response times."""
    document = {
        "version": run.version,
        "load": run.load,
        "run": run.run,
        "cores": run.cores,
        "host_busy": round(run.host_busy, 4),
        "foreign": round(run.foreign, 4),
        "busy": {name: round(cores, 4) for name, cores in run.busy.items()},
        "responses_us": {
            name: [round(_MICRO * time_s) for time_s in times] for name, times in run.responses_s.items()
        },
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f"{path.name}.part")
    part.write_text(json.dumps(document) + "\n")
    part.replace(path)


def read_measured(path: Path) -> MeasuredRun:
    """Read what :func:`write_measured` wrote.

    Raises:
        BadFileError: it is not such a file.
    """
    try:
        known = json.loads(path.read_text())
        return MeasuredRun(
            known["version"],
            known["load"],
            known["run"],
            {name: tuple(time / _MICRO for time in times) for name, times in known["responses_us"].items()},
            known["busy"],
            known["host_busy"],
            known["cores"],
            known["foreign"],
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise BadFileError(f"{path} is not a measured run of the store: {error!r}") from error


@dataclass(frozen=True, slots=True)
class PredictedNumber:
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
class MeasuredChange:
    """What a version changed at one endpoint, as it was measured and as it was predicted.

    Attributes:
        measured, predicted: new over old mean response time, less 1.
        measured_delta, predicted_delta: Cliff's delta of single response times.
        significant: whether the measured response times differ significantly.
        over_runs: the 95 % interval of the measured delta, if runs and not response times are independent.
    """

    version: str
    load: str
    endpoint: str
    measured: float
    predicted: float
    measured_delta: float
    significant: bool
    over_runs: Interval
    predicted_delta: float
    interval: Interval
    status: Status


@dataclass(frozen=True, slots=True)
class RecordingEvaluation:
    """The comparison of a recording, or of a part of it.

    Attributes:
        changed: the changed versions under each load, as far as they were measured.
        unchanged: the others, under each load; their truth is how they were made.
        changes: of all versions but the old one, by endpoint, as far as they were measured.
        numbers: of all versions, as far as they were measured; of the old one only under loads that the model
            was not learned from.
        lacking: versions and loads without measurements.
    """

    changed: tuple[JudgedVersion, ...] = ()
    unchanged: tuple[JudgedVersion, ...] = ()
    changes: tuple[MeasuredChange, ...] = ()
    numbers: tuple[PredictedNumber, ...] = ()
    lacking: tuple[str, ...] = ()


def joined(parts: Iterable[RecordingEvaluation]) -> RecordingEvaluation:
    """Return the comparisons of several parts of a recording as one, in their order."""
    known = tuple(parts)
    return RecordingEvaluation(
        changed=tuple(version for part in known for version in part.changed),
        unchanged=tuple(version for part in known for version in part.unchanged),
        changes=tuple(change for part in known for change in part.changes),
        numbers=tuple(number for part in known for number in part.numbers),
        lacking=tuple(name for part in known for name in part.lacking),
    )


_ATTRIBUTES = ("name", "classname", "time")
_DID_NOT_PASS = ("failure", "error", "skipped")


def published(name: str, content: bytes) -> bytes:
    """Return a file of a recording as it may be published.

    Raises:
        BadFileError: results cannot be read.
    """
    try:
        match name.partition("/")[0]:
            case "junit":
                return _junit(content)
            case "jmh":
                return _jmh(content)
            case _:
                return content
    except (ElementTree.ParseError, ValueError, AttributeError) as error:
        raise BadFileError(f"{name} cannot be packed: {error}") from error


def _junit(content: bytes) -> bytes:
    """Keep the test cases with their times."""
    suite = ElementTree.Element("testsuite")
    for case in ElementTree.fromstring(content).iter("testcase"):
        kept = ElementTree.SubElement(
            suite, "testcase", {name: case.attrib[name] for name in _ATTRIBUTES if name in case.attrib}
        )
        kept.extend(ElementTree.Element(child.tag) for child in case if child.tag in _DID_NOT_PASS)
    ElementTree.indent(suite, " ")
    text: bytes = ElementTree.tostring(suite, encoding="utf-8", xml_declaration=True)
    return text + b"\n"


def _jmh(content: bytes) -> bytes:
    """Leave out the path of the JVM."""
    results = [{key: value for key, value in load.items() if key != "jvm"} for load in json.loads(content)]
    return json.dumps(results, indent=1).encode() + b"\n"
