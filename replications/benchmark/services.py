"""Changes of a Spring Boot service, as ``buto why`` is asked about them: in a load's window, in a small heap.

``services/`` has the service, and ``changes.yaml`` what is replaced in its files. Maven builds both sides of
them and of what Maven Central has.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from beds.artefacts import BedError, content_of, made_once
from beds.jdk import run
from benchmark.launch import CLASSES
from benchmark.pairs import HERE

SERVICE = HERE / "services"
_CHANGES = SERVICE / "changes.yaml"
_PLACES = {"pom.xml": "pom.xml", "Shop.java": "src/main/java/com/acme/shop/Shop.java"}
"""Of each file of the service, where Maven looks for it."""
_BUILD_S = 600.0


@dataclass(frozen=True, slots=True)
class ServiceChange:
    """A change of the service.

    Attributes:
        kinds: the kinds of event that it concerns.
        changed: the method that changed, then what leads a reader to it as directly.
        replace: by file, a text that it has once and what takes its place.
    """

    name: str
    kinds: tuple[str, ...]
    changed: tuple[str, ...]
    replace: Mapping[str, tuple[str, str]]


def read_services(path: Path = _CHANGES) -> dict[str, ServiceChange]:
    """Return the changes of a file by name."""
    content: dict[str, dict[str, Any]] = yaml.safe_load(path.read_text(encoding="utf-8"))
    return {
        name: ServiceChange(
            name,
            tuple(of["kinds"]),
            (*of["changed"], *of.get("also", ())),
            {file: (replacement["old"], replacement["new"]) for file, replacement in of["replace"].items()},
        )
        for name, of in content.items()
    }


def configuration(change: ServiceChange, java: str) -> dict[str, Any]:
    """Return a ``buto.yaml`` with the tests ``old`` and ``new``, both built.

    Raises:
        BedError: Maven is missing or cannot build the service.
    """
    return {"version": 1, "tests": {"old": _test(_built(None), java), "new": _test(_built(change), java)}}


def sources(change: ServiceChange | None) -> dict[str, str]:
    """Return the files of the service by name, with the change if there is one.

    Raises:
        BedError: a file does not have the text of the change once.
    """
    texts = {file: (SERVICE / file).read_text(encoding="utf-8") for file in _PLACES}
    for file, (old, new) in change.replace.items() if change else ():
        if texts[file].count(old) != 1:
            raise BedError(f"{SERVICE / file} must have {old!r} once, for {change.name if change else ''}")
        texts[file] = texts[file].replace(old, new)
    return texts


def _built(change: ServiceChange | None) -> Path:
    """Return the jar of the service."""
    name = change.name if change else "unchanged"
    made_of = content_of([_CHANGES, *(SERVICE / file for file in _PLACES)])
    place = CLASSES / f"service-{name}-{made_of}"

    def build(draft: Path) -> None:
        for file, text in sources(change).items():
            path = draft / _PLACES[file]
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        if shutil.which("mvn") is None:
            raise BedError("mvn was not found; install it (Debian: apt-get install maven)")
        run(["mvn", "-B", "-q", "package"], timeout_s=_BUILD_S, directory=draft)

    made_once(place, build)
    return place / "target" / "shop.jar"


def _test(jar: Path, java: str) -> dict[str, Any]:
    return {
        "command": [java, "-Xmx96m", "-XX:+UseSerialGC", "-jar", str(jar), "--server.port=0"],
        "expect-exit": 143,
        "timeout": "2min",
        "workload": {
            "port": "any",
            "http": {"url": "http://127.0.0.1:${port}/orders?word=customer", "rate": 25, "duration": "6s"},
            "stop": True,
        },
        "window": {"from": "load.start", "to": "load.end"},
    }
