"""Read and write the model of an architecture as a YAML file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from buto.errors import BadFileError, ConfigError, JudgeError
from buto.project.document import DataPath, Document
from buto.project.yaml import MAX_BYTES, parse, validate, yaml_text
from buto.run.cache import read_file
from buto.run.units import format_count, parse_rate, parse_seconds
from buto_predict.model import (
    Architecture,
    Benchmark,
    Call,
    Component,
    Discipline,
    Endpoint,
    Measures,
    Station,
)

SCHEMA = "architecture"
VERSION = 1
_DIGITS = 6
_SECONDS = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}
_RATES = {"/s": 1.0}
_SMALL, _LARGE = 1e-4, 1e6


def load_architecture(path: Path) -> Architecture:
    """Read and check a model.

    Raises:
        BadFileError: it cannot be read.
        ConfigError: it does not follow the schema, or names an unknown component or station; one
            line ``file:line:column: what`` for each fault.
    """
    try:
        text = read_file(path, MAX_BYTES, follow=True).decode("utf-8")
    except ValueError as error:
        reason = "it is not UTF-8" if isinstance(error, UnicodeDecodeError) else error
        raise BadFileError(f"cannot read the model {path}: {reason}") from error
    document = parse(text, path)
    if document.data is None:
        raise ConfigError(f"{path}: the model is empty", advice="buto schema architecture")
    validate(document, SCHEMA)
    _check_names(document)
    return _architecture(document.data, path.stem)


def architecture_text(architecture: Architecture) -> str:
    """Return a model as YAML. Reading it gives the same model, with times rounded to six digits.

    Raises:
        JudgeError: it is larger than a model may be.
    """
    data: dict[str, Any] = {
        "version": VERSION,
        "name": architecture.name,
        "stations": {station.name: _station_data(station) for station in architecture.stations},
        "components": {component.name: _component_data(component) for component in architecture.components},
        "endpoints": {endpoint.name: _endpoint_data(endpoint) for endpoint in architecture.endpoints},
    }
    if architecture.benchmarks:
        data["benchmarks"] = {
            name: {"component": benchmark.component, "measures": benchmark.measures.value}
            for name, benchmark in architecture.benchmarks.items()
        }
    text = yaml_text(data)
    # A model of thousands of components may be larger than a file that is read.
    try:
        parse(text, Path(f"{architecture.name}.yaml"))
    except ConfigError as error:
        raise JudgeError(
            f"a model with {format_count(len(architecture.components), 'component')} cannot be read again: "
            f"{error.message}",
            advice="give the traces of fewer endpoints, or of spans with fewer different names",
        ) from error
    return text


def _architecture(data: Mapping[str, Any], name: str) -> Architecture:
    return Architecture(
        data.get("name", name),
        tuple(_station(name, station or {}) for name, station in data["stations"].items()),
        tuple(
            Component(
                name,
                component["station"],
                parse_seconds(str(component["self"])),
                _calls(component.get("calls", {})),
                float(component.get("cv", 1.0)),
                component.get("samples"),
            )
            for name, component in data["components"].items()
        ),
        tuple(
            Endpoint(
                name, _calls(endpoint["calls"]), parse_rate(str(endpoint.get("load", 0))), endpoint.get("cv")
            )
            for name, endpoint in data["endpoints"].items()
        ),
        {name: _benchmark(benchmark) for name, benchmark in data.get("benchmarks", {}).items()},
    )


def _station(name: str, data: Mapping[str, Any]) -> Station:
    usual = Station(name)
    discipline = data.get("discipline", usual.discipline.value)
    return Station(name, int(data.get("servers", usual.servers)), Discipline(discipline))


def _calls(data: Mapping[str, Any]) -> tuple[Call, ...]:
    return tuple(
        Call(to, float(call["times"]), call.get("parallel", False))
        if isinstance(call, dict)
        else Call(to, float(call))
        for to, call in data.items()
    )


def _benchmark(data: Any) -> Benchmark:
    if isinstance(data, str):
        return Benchmark(data)
    return Benchmark(data["component"], Measures(data.get("measures", Measures.INCLUSIVE.value)))


def _check_names(document: Document) -> None:
    """Raise a ConfigError with a line for each unknown name, in the order of the file."""
    data = document.data
    faults: list[tuple[DataPath, str]] = []
    for name, tested in data["components"].items():
        if tested["station"] not in data["stations"]:
            faults.append(
                (("components", name, "station"), _unknown("station", tested["station"], data["stations"]))
            )
        faults += _unknown_calls(data, ("components", name, "calls"), tested.get("calls", {}))
    for name, endpoint in data["endpoints"].items():
        faults += _unknown_calls(data, ("endpoints", name, "calls"), endpoint["calls"])
    for name, benchmark in data.get("benchmarks", {}).items():
        component = benchmark if isinstance(benchmark, str) else benchmark["component"]
        if component not in data["components"]:
            faults.append((("benchmarks", name), _unknown("component", component, data["components"])))
    if faults:
        raise ConfigError("\n".join(document.error(at, what).message for at, what in faults))


def _unknown_calls(
    data: Mapping[str, Any], at: DataPath, calls: Mapping[str, Any]
) -> list[tuple[DataPath, str]]:
    known = data["components"]
    return [((*at, to), _unknown("component", to, known)) for to in calls if to not in known]


def _unknown(what: str, name: str, known: Sequence[str] | Mapping[str, Any]) -> str:
    shown = ", ".join(list(known)[:5]) + (", ..." if len(known) > 5 else "")
    return f"unknown {what} {name!r}; known are {shown}"


def _station_data(station: Station) -> dict[str, Any]:
    return {"servers": station.servers, "discipline": station.discipline.value}


def _component_data(component: Component) -> dict[str, Any]:
    data: dict[str, Any] = {
        "station": component.station,
        "self": _quantity(component.self_s, _SECONDS),
        "cv": _number(component.cv),
    }
    if component.n_samples is not None:
        data["samples"] = component.n_samples
    if component.calls:
        data["calls"] = _calls_data(component.calls)
    return data


def _endpoint_data(endpoint: Endpoint) -> dict[str, Any]:
    data: dict[str, Any] = {"load": _quantity(endpoint.rate, _RATES)}
    if endpoint.cv is not None:
        data["cv"] = _number(endpoint.cv)
    return data | {"calls": _calls_data(endpoint.calls)}


def _calls_data(calls: Sequence[Call]) -> dict[str, Any]:
    return {
        call.to: {"times": _number(call.times), "parallel": True} if call.parallel else _number(call.times)
        for call in calls
    }


def _quantity(value: float, units: Mapping[str, float]) -> float | int | str:
    """Return a value in the largest unit of which it has one, else in the last.

    It has no unit if it would have an exponent, which the schema allows only for plain numbers.
    """
    unit = next((unit for unit, size in units.items() if value >= size), list(units)[-1])
    number = _number(value / units[unit])
    return f"{number}{unit}" if _SMALL <= number < _LARGE else _number(value)


def _number(value: float) -> float | int:
    rounded = float(f"{value:.{_DIGITS}g}")
    return int(rounded) if rounded.is_integer() else rounded
