"""Live objects at the end, under a load that varies: compared given the number of requests."""

import json
from dataclasses import replace

import numpy as np
import pytest

from buto.judging.configuration import settings_from
from buto.judging.detector import CalibratedDetector
from buto.judging.verdict import Status
from buto.oracle import check, train
from buto.run.model import AT_END, ClassCount, ClassHistogram, run_set
from buto.run.properties import LIVE_CLASSES
from tests.support.runs.served import LOAD, WRITES, Server, served

DEFAULT = settings_from({})


def holding(number, size, each=0, rate=50.0):
    """A server with live objects at its end: so many bytes, and more for each request."""
    run = served(number, Server(rate))
    requests = sum(run.series(name).sum() for name in LOAD)
    held = ClassCount("com.acme.Session", 10, int(size + each * requests) + 100 * number)
    listed = ClassHistogram(120.0, AT_END, 10, held.size_bytes, (held,))
    return replace(run, histograms=(listed,))


@pytest.mark.parametrize("rate", [25.0, 75.0])
def test_live_objects_of_each_request_are_no_change_under_another_load_and_more_of_them_are(rate):
    oracle = train(run_set([holding(number, 500_000, 200) for number in range(10)]), DEFAULT)
    unchanged, more = (
        check(oracle, run_set([holding(number, 500_000, each, rate) for number in (20, 21, 22)]))
        for each in (200, 300)
    )
    assert unchanged.status is Status.PASS
    assert unchanged.p_value > 0.05
    assert (more.status, more.findings[-1].subject) == (Status.REGRESSION, LIVE_CLASSES.name)
    assert more.findings[-1].text == "given the number of requests"
    asked = 120 * rate
    assert more.findings[-1].expected == pytest.approx(500_000 + 200 * asked, rel=0.1)
    assert more.findings[-1].observed == pytest.approx(500_000 + 300 * asked, rel=0.1)


def test_live_objects_of_one_kind_of_request_are_no_change_under_another_mix():
    def mixed(number, writes):
        run = served(number, Server(writes=writes))
        held = ClassCount("com.acme.Session", 10, int(500_000 + 800 * run.series(WRITES).sum()))
        listed = ClassHistogram(120.0, AT_END, 10, held.size_bytes, (held,))
        return replace(run, histograms=(listed,))

    oracle = train(run_set([mixed(number, 0.1 + 0.04 * number) for number in range(10)]), DEFAULT)
    verdict = check(oracle, run_set([mixed(number, 0.45) for number in (20, 21, 22)]))
    assert verdict.status is Status.PASS
    assert verdict.p_value > 0.05


def test_without_the_number_of_requests_what_is_counted_once_decides_nothing():
    oracle = train(run_set([holding(number, 500_000, 200) for number in range(10)]), DEFAULT)

    def unread(number):
        run = holding(number, 500_000, 200, 25.0)
        silent = [np.isin(prop.name, LOAD) for prop in run.properties]
        return replace(run, values=np.where(silent, np.nan, run.values))

    verdict = check(oracle, run_set([unread(number) for number in (20, 21, 22)]))
    assert LIVE_CLASSES.name not in {finding.subject for finding in verdict.findings}
    assert verdict.status is Status.INCONCLUSIVE


def test_live_objects_at_the_end_are_compared():
    oracle = train(run_set([holding(number, 1_000_000) for number in range(8)]), DEFAULT)
    unchanged, more = (
        check(oracle, run_set([holding(number, size) for number in (20, 21, 22)]))
        for size in (1_000_000, 1_500_000)
    )
    assert unchanged.status is Status.PASS
    assert (more.status, more.findings[-1].subject) == (Status.REGRESSION, LIVE_CLASSES.name)
    again = CalibratedDetector(DEFAULT).from_data(json.loads(json.dumps(oracle.fitted.to_data())))
    runs = run_set([holding(number, 1_500_000) for number in (20, 21, 22)])
    assert again.check(runs) == oracle.fitted.check(runs)
