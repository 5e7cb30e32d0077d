"""Which pairs may choose a method, and which are set apart: a draw, written down before any is judged."""

from __future__ import annotations

import random
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Literal

import yaml

from beds.artefacts import BedError
from benchmark.pairs import HERE, Pair

WRITTEN = HERE / "draw.yaml"
SEED = 20261127
N_TUNING = 20

KNOWN = (
    "hikari-cycle",
    "jackson-mappers",
    "jackson-short-lived",
    "jsoup-connections",
    "jsoup-errors",
    "jsoup-parse",
    "jsoup-selectors",
    "micrometer-remove",
    "postgres-redeploy",
    "snakeyaml-long-text",
)
"""Pairs that earlier states of the judge were measured on: they cannot be set apart."""

Half = Literal["tuning", "apart"]


def draw(pairs: Iterable[Pair], known: Collection[str] = KNOWN, seed: int = SEED) -> dict[Half, list[str]]:
    """Return the halves of the regressions: the known ones and some others at random, and all the rest."""
    names = sorted(pair.name for pair in pairs if pair.regression)
    others = [name for name in names if name not in known]
    tuning = [*known, *random.Random(seed).sample(others, min(len(others), N_TUNING - len(known)))]
    return {"tuning": sorted(tuning), "apart": sorted(set(names) - set(tuning))}


def halves(path: Path = WRITTEN) -> Mapping[str, Half]:
    """Return the half of each regression, as it is written.

    Raises:
        BedError: the draw is not written.
    """
    if not path.is_file():
        raise BedError(f"{path} is not written yet: python -m benchmark draw > {path.name}")
    content: Mapping[Half, list[str]] = yaml.safe_load(path.read_text(encoding="utf-8"))
    return {name: half for half, names in content.items() for name in names}
