"""Put the results of both sides together, test by test."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from buto_predict.results.model import ComponentResult, Conditions


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
        """The old result, else the new one."""
        found = self.old or self.new
        assert found is not None
        return found


def paired(old: Sequence[ComponentResult], new: Sequence[ComponentResult]) -> tuple[Pair, ...]:
    """Return the tests of both sides, in the order of first appearance.

    Args:
        old, new: with no name and conditions twice, see :func:`buto_predict.results.model.merged`.
    """
    sides: dict[str, tuple[list[ComponentResult], list[ComponentResult]]] = {}
    for number, results in enumerate((old, new)):
        for result in results:
            sides.setdefault(result.name, ([], []))[number].append(result)
    return tuple(pair for olds, news in sides.values() for pair in _of_one_name(olds, news))


def _of_one_name(olds: Sequence[ComponentResult], news: Sequence[ComponentResult]) -> list[Pair]:
    """Pair results under the same conditions, then those that are alike; the others have no counterpart."""
    left_old, left_new = list(olds), list(news)
    found: list[tuple[ComponentResult, ComponentResult]] = []
    for same in (Conditions.__eq__, Conditions.like):
        for before in tuple(left_old):
            after = next((one for one in left_new if same(before.conditions, one.conditions)), None)
            if after is not None:
                found.append((before, after))
                left_old.remove(before)
                left_new.remove(after)
    lost_old, lost_new = next(iter(left_old), None), next(iter(left_new), None)
    pairs: list[tuple[ComponentResult | None, ComponentResult | None, ComponentResult | None]] = [
        *((before, after, None) for before, after in found),
        *((before, None, lost_new) for before in left_old),
        *((None, after, lost_old) for after in left_new),
    ]
    if len(pairs) == 1:
        return [Pair((olds or news)[0].name, *pairs[0])]
    names = _names([*olds, *news])
    order = list(names)
    pairs.sort(key=lambda one: order.index(_conditions(one[0], one[1])))
    return [Pair(names[_conditions(one[0], one[1])], *one) for one in pairs]


def _conditions(old: ComponentResult | None, new: ComponentResult | None) -> Conditions:
    found = old or new
    assert found is not None
    return found.conditions


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
