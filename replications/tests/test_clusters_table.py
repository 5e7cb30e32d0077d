"""The table of ``buto experiments run clusters``."""

import pytest

from buto.judging.verdict import Status, Verdict
from buto_replications.commands.run_clusters import _p_value


@pytest.mark.parametrize(("p_value", "text"), [(None, ""), (0.0, "0.00"), (0.125, "0.12"), (1.0, "1.00")])
def test_a_verdict_without_a_p_value_shows_none(p_value, text):
    assert _p_value(Verdict(Status.PASS, "calibrated", p_value=p_value)) == text
