"""What the machine lacks is skipped on a desk, and an error in continuous integration."""

from __future__ import annotations

import pytest
from _pytest.outcomes import Failed, Skipped

from tests.support.needed import skip_without


@pytest.mark.parametrize(("ci", "outcome"), [("true", Failed), ("", Skipped)], ids=["in CI", "on a desk"])
def test_what_is_missing_is_never_skipped_in_ci(
    monkeypatch: pytest.MonkeyPatch, ci: str, outcome: type[BaseException]
) -> None:
    monkeypatch.setenv("CI", ci)
    with pytest.raises(outcome):
        skip_without("no browser")
