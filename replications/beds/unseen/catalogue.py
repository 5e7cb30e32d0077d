"""The programs: what each does, its versions, and which of them were drawn for choosing sizes."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import yaml

from beds.artefacts import CACHE
from beds.jdk import javac

SOURCES = Path(__file__).parent / "programs"
WRITTEN = Path(__file__).with_name("programs.yaml")
CLASSES = CACHE / "unseen"

SEED = 20261123
N_TUNING = 5
"""Programs with refactorings that are for choosing sizes."""

BASE, SMALL, LARGE = "base", "small", "large"
HEAP = ("-Xms32m", "-Xmx96m")

Half = Literal["tuning", "apart"]


@dataclass(frozen=True, slots=True)
class Program:
    """One program of the bed.

    Attributes:
        kind: what its regression uses more of.
        small, large: the regression in words, with its planned size.
        refactorings: harmless changes, by version.
    """

    name: str
    does: str
    kind: str
    small: str
    large: str
    refactorings: Mapping[str, str] = field(default_factory=dict)

    @property
    def versions(self) -> tuple[str, ...]:
        return (BASE, SMALL, LARGE, *self.refactorings)


def programs(path: Path = WRITTEN) -> dict[str, Program]:
    return {name: Program(name, **keys) for name, keys in _content(path)["programs"].items()}


def halves(path: Path = WRITTEN) -> dict[str, Half]:
    """Return the half of each program, as it is written: for choosing sizes, or set apart."""
    drawn: Mapping[Half, Sequence[str]] = _content(path)["draw"]
    return {name: half for half, names in drawn.items() for name in names}


def draw(among: Mapping[str, Program], seed: int = SEED) -> dict[Half, list[str]]:
    """Return which programs are for choosing sizes: half of those with refactorings.

    A program is in one half with all its runs, so that nothing of what is set apart is seen in choosing.
    """
    refactored = sorted(name for name, program in among.items() if program.refactorings)
    tuning = sorted(random.Random(seed).sample(refactored, N_TUNING))
    return {"tuning": tuning, "apart": sorted(set(among) - set(tuning))}


def build(out: Path = CLASSES) -> Path:
    """Compile all programs and return the directory of their classes.

    Raises:
        BedError: there is no compiler, or it found an error.
    """
    out.mkdir(parents=True, exist_ok=True)
    javac(SOURCES, out, release="17")
    return out


def command(java: str, options: Sequence[str], classes: Path, program: str, version: str) -> list[str]:
    return [java, *HEAP, *options, "-cp", str(classes), f"{program}.Main", version]


def _content(path: Path) -> Mapping[str, Any]:
    content: Mapping[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    return content
