"""How many examples Hypothesis tries, at a push and at night."""

from __future__ import annotations

import hypothesis

AT = {"push": 25, "nightly": 200}
"""By profile; ``make test-all`` takes the second."""


def examples(at_push: int) -> int:
    """Return the number of a test whose examples are not as cheap as others, in the profile of this session.

    Args:
        at_push: The number at a push; the nightly profile has as many times more as for other tests.
    """
    return max(1, at_push * hypothesis.settings.default.max_examples // AT["push"])
