"""Put the results of both sides together, test by test."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from buto.architecture.results.model import ComponentResult, Conditions


@dataclass(frozen=True, eq=False)
class Pair:
    """One component test on both sides.

    Attributes:
        name: of the test, with its conditions if others of the same name have different ones.
        old, new: the result of each side, or None.
        other: the result of the other side, if it exists and cannot be compared.
    """

    name: str
    old: ComponentResult | None
    new: ComponentResult | None
    other: ComponentResult | None = None

    @property
    def result(self) -> ComponentResult:
        """The old result, else the new one, under the pair's name."""
        found = self.old or self.new
        assert found is not None
        return replace(found, name=self.name)


def paired(old: Sequence[ComponentResult], new: Sequence[ComponentResult]) -> tuple[Pair, ...]:
    """Return the tests of both sides, in the order of first appearance.

    Args:
        old, new: with no name and conditions twice, see :func:`buto.architecture.results.model.merged`.
    """
    sides: dict[str, tuple[list[ComponentResult], list[ComponentResult]]] = {}
    for number, results in enumerate((old, new)):
        for result in results:
            sides.setdefault(result.name, ([], []))[number].append(result)
    return tuple(pair for olds, news in sides.values() for pair in _of_one_name(olds, news))


def _of_one_name(olds: Sequence[ComponentResult], news: Sequence[ComponentResult]) -> list[Pair]:
    if len(olds) <= 1 and len(news) <= 1:
        before, after = next(iter(olds), None), next(iter(news), None)
        if before is None or after is None or before.conditions.like(after.conditions):
            return [Pair((olds or news)[0].name, before, after)]
        names = _names([before, after])
        return [
            Pair(names[before.conditions], before, None, after),
            Pair(names[after.conditions], None, after, before),
        ]
    names = _names([*olds, *news])
    by_conditions = [{one.conditions: one for one in side} for side in (olds, news)]
    return [
        Pair(name, by_conditions[0].get(conditions), by_conditions[1].get(conditions))
        for conditions, name in names.items()
    ]


def _names(results: Sequence[ComponentResult]) -> dict[Conditions, str]:
    """Return a name for each of the conditions, which has those that not all results share."""
    modes = {one.conditions.mode for one in results}
    threads = {one.conditions.threads for one in results}
    names = {}
    for one in results:
        parts = [f"mode={one.conditions.mode}"] if len(modes) > 1 else []
        parts += [f"threads={one.conditions.threads}"] if len(threads) > 1 else []
        names[one.conditions] = f"{one.name}{',' if ':' in one.name else ':'}{','.join(parts)}"
    return names
