from dataclasses import replace

import numpy as np
import pytest

from buto.oracle import train
from buto.oracle.train import matches
from buto.run.model import Notification, run_set
from tests.support.runs.signals import make_run

READ = "mbean[com.acme:type=Queue]/"


@pytest.mark.parametrize(
    ("pattern", "name", "fits"),
    [
        ("com.acme:*", "com.acme:type=Queue", True),
        ("com.amce:*", "com.acme:type=Queue", False),
        ("com.*:type=Queue,*", "com.acme:name=a,type=Queue", True),
        ("com.acme:type=Queue,name=a", "com.acme:name=a,type=Queue", True),
        ("com.acme:type=Queue", "com.acme:name=a,type=Queue", False),
        ("com.acme:type=Qu*", "com.acme:type=Queue", True),
        ("com.acme:type=[Q]", "com.acme:type=[Q]", True),
        ("com.acme:type=[Q]", "com.acme:type=Q", False),
        ('com.acme:name="a,b",*', 'com.acme:name="a,b",type=Queue', True),
    ],
)
def test_patterns_are_those_of_object_names(pattern, name, fits):
    assert matches(pattern, name) is fits


def warned(*rules, notifications=()):
    columns = {
        f"{READ}Size": [1, 2, 3],
        f"{READ}Stats.hits": [5, 5, 5],
        f"{READ}Nope": [np.nan] * 3,
        f"{READ}Name": [np.nan] * 3,
    }
    reasons = {f"{READ}Nope": "no such attribute", f"{READ}Name": "it is a text"}
    runs = [
        replace(make_run(number, [0, 1, 2], columns, notifications=notifications), nan_reasons=reasons)
        for number in range(10)
    ]
    return train(run_set(runs), target={"mbeans": list(rules)}).warnings


def test_a_pattern_that_nothing_matches_is_reported():
    (warning,) = warned({"name": "com.acme:*"}, {"name": "com.amce:*"})
    assert warning.startswith("the pattern 'com.amce:*' gave nothing in any run")


def test_an_mbean_that_only_notifies_is_there():
    notified = [Notification(0.5, "done", "other:type=Bell", 1, "")]
    assert warned({"name": "other:*"}, notifications=notified) == ()


def test_attributes_that_were_never_read_are_reported_with_the_reason():
    asked = ["Size", "Stats", "Nope", "Name", "Other"]
    assert warned({"name": "com.acme:*", "attributes": asked}) == (
        "attribute Nope of com.acme:* was never read: no such attribute",
        "attribute Name of com.acme:* was never read: it is a text",
        "attribute Other of com.acme:* was never read: there is none of that name",
    )
