"""The tail of Student's t, which compares training runs of several environments."""

from __future__ import annotations

import numpy as np
from scipy.special import stdtr

from buto.judging.rank import students_t


def test_the_tail_is_students_t() -> None:
    t = np.array([*np.linspace(-60, 60, 10_001), 1e200, -1e200, np.inf, -np.inf, np.nan])
    for freedom in (2, 4, 6, 20):
        np.testing.assert_allclose(students_t(freedom, t), stdtr(freedom, t), rtol=0, atol=1e-15)
