"""The thirty-two experiments and how runs are divided for them (thesis, sections 3.1 and 3.4)."""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations

import numpy as np

from buto.errors import JudgeError
from buto.run.model import IntArray

PROGRAMS: dict[str, tuple[str, ...]] = {
    "references": ("references-strong", "references-weak", "references-soft"),
    "leaker": ("leaker-string", "leaker-string-builder", "leaker-thread"),
    "classloading": ("classloading-10ms", "classloading-100ms", "classloading-1000ms"),
    "consumerproducer": tuple(f"consumerproducer-v{number}" for number in range(8)),
}
"""The variants of each test program."""

BENCHMARK = "consumerproducer-v0"
"""The variant that the other seven of its program are compared with."""

VARIANTS = tuple(variant for variants in PROGRAMS.values() for variant in variants)


@dataclass(frozen=True, slots=True)
class Experiment:
    """A rule is trained with one variant and must distinguish another variant from it.

    Attributes:
        training: the variant whose runs train the rule; it should accept the other runs of this variant.
        negative: the variant whose runs it should reject.
    """

    program: str
    training: str
    negative: str


def _experiments() -> list[Experiment]:
    return [
        Experiment(program, training, negative)
        for program, variants in PROGRAMS.items()
        for training, negative in permutations(variants, 2)
        if program != "consumerproducer" or BENCHMARK in (training, negative)
    ]


EXPERIMENTS = tuple(_experiments())
"""Tables 3.1, 3.2, 3.3 and 3.5: six, six, six and fourteen."""


SUBTLE = (
    Experiment("references", "references-strong", "references-strong-rate-550"),
    Experiment("leaker", "leaker-string-builder", "leaker-string-builder-11-leaks"),
    Experiment("classloading", "classloading-10ms", "classloading-12ms"),
    Experiment("consumerproducer", "consumerproducer-v0", "consumerproducer-v0-leak"),
    Experiment("consumerproducer", "consumerproducer-v0", "consumerproducer-v0-leak-200"),
)
"""Small changes, which are not in the thesis: a tenth more objects, eleven leaks instead of ten, a sixth
fewer classes, and one page leaked in every ten or two hundred jobs."""


@dataclass(frozen=True, eq=False, slots=True)
class Split:
    """Each variant's runs divided at random.

    An experiment trains with ``training`` of its training variant. Its positive runs are ``test`` of the same
    variant, its negative runs are ``test`` of the negative variant. So one split serves all experiments, each
    variant is trained once in it, and no training run is judged.

    Attributes:
        training, test: by variant, the ordinals of runs (see :func:`buto_replications.dataset.archive.load`).
    """

    training: Mapping[str, IntArray]
    test: Mapping[str, IntArray]


def splits(
    ordinals: Mapping[str, Sequence[int]],
    n_training: int,
    n_splits: int,
    seed: int,
    n_test: int | None = None,
) -> list[Split]:
    """Divide runs at random, several times.

    The thesis divides only once: the first runs train, the others are judged.

    Args:
        ordinals: by variant, the runs to divide. To keep runs for a later report, leave their rounds out.
        n_training: runs of each variant that train.
        n_test: runs of each variant that are judged; None for all that do not train.

    Returns:
        The same for the same seed. The division of a variant's runs does not depend on the other variants. A
        larger ``n_training`` adds runs to the same training sets. With ``n_test``, the judged runs do not
        depend on ``n_training``.

    Raises:
        JudgeError: a variant has too few runs.
    """
    least = n_training + (1 if n_test is None else n_test)
    for variant, ours in ordinals.items():
        if len(ours) < least:
            raise JudgeError(
                f"{variant}: {least} usable runs are needed to train with {n_training} and judge "
                f"{least - n_training}, got {len(ours)}",
                advice="record more of them: buto experiments generate",
            )
    return [_find_split(ordinals, n_training, n_test, [seed, number]) for number in range(n_splits)]


def _find_split(
    ordinals: Mapping[str, Sequence[int]], n_training: int, n_test: int | None, seed: list[int]
) -> Split:
    shuffled = {
        variant: np.random.default_rng([*seed, zlib.crc32(variant.encode())]).permutation(
            np.asarray(ours, np.int64)
        )
        for variant, ours in ordinals.items()
    }
    return Split(
        training={variant: ours[:n_training] for variant, ours in shuffled.items()},
        test={
            variant: ours[n_training if n_test is None else len(ours) - n_test :]
            for variant, ours in shuffled.items()
        },
    )
