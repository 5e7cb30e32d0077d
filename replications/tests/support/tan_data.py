"""Made-up rows in bins, of which the tree of a reference library is recorded."""

import numpy as np

N_COLUMNS = 10


def binned_rows():
    """400 rows of 10 columns in 5 bins, each column following an earlier one, and a class."""
    random = np.random.default_rng(7)
    abnormal = random.random(400) < 0.3
    columns = [random.integers(5, size=400)]
    for number in range(1, N_COLUMNS):
        parent = columns[int(random.integers(number))]
        kept = random.random(400) < 0.6
        columns.append(np.where(kept, (parent + number + abnormal) % 5, random.integers(5, size=400)))
    return np.column_stack(columns), abnormal
