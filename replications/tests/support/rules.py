"""Slow, plain association rules by trying everything; imports nothing of buto."""

from itertools import combinations


def bin_of(value, low, high, count):
    """The number of the equal-width bin of a value; 0 below all, count + 1 above all."""
    if value < low:
        return 0
    if value > high:
        return count + 1
    for number in range(1, count):
        if value < low + number * (high - low) / count:
            return number
    return count


def rules(rows, support, confidence, constant):
    """All minimal rules of rows of bins: {(premise, consequent): confidence}, items are (column, bin)."""
    transactions = [set(enumerate(row)) for row in rows]
    items = sorted(set().union(*transactions))

    def share(wanted):
        return sum(wanted <= one for one in transactions) / len(transactions)

    usable = [item for item in items if support <= share({item}) < constant]
    found = {}
    for consequent in items:
        for size in (0, 1, 2):
            for premise in combinations(usable, size):
                if any(column == consequent[0] for column, _ in premise):
                    continue
                if any(
                    (part, consequent) in found
                    for less in range(size)
                    for part in combinations(premise, less)
                ):
                    continue
                both, alone = share({*premise, consequent}), share(set(premise))
                if both >= support and both >= confidence * alone:
                    found[premise, consequent] = both / alone
    return found
