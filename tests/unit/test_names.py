"""The report of names finds those that say little, and no others."""

from __future__ import annotations

import pytest

from scripts import names

TEXT = """
class Program: ...
class _Private: ...

def checked(test):
    one = 1
    for found in ():
        pass
    with open() as told:
        return one

def _settled_by_turns(one): ...
def learn(test, *, one=1): ...
def seed_of(test): ...
def need(): ...

class Kept:
    @property
    def kept_runs(self): ...
    def drawn(self): ...
"""


@pytest.fixture(scope="module")
def given() -> names.Names:
    return names.collect({"a.py": TEXT, "b.py": "class Program: ...\nclass _Private: ...\n"})


def test_participles_are_those_of_functions_that_act(given: names.Names) -> None:
    assert [place.name for place in given.participles] == ["_settled_by_turns", "checked", "drawn"]
    assert len(given.functions) == 6


def test_variables_that_say_nothing_are_also_parameters_and_loops(given: names.Names) -> None:
    counts = {name: len(places) for name, places in given.empty.items()}
    assert counts == {"one": 3, "found": 1, "told": 1}


def test_twins_are_public_classes_of_one_name(given: names.Names) -> None:
    places = given.twins
    assert {name: [place.path for place in twins] for name, twins in places.items()} == {
        "Program": ["a.py", "b.py"]
    }


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        ("weighed", True),
        ("told", True),
        ("feed", False),
        ("read", False),
        ("red", False),
        ("is_paired", False),
    ],
)
def test_a_participle_is_the_first_word(name: str, answer: bool) -> None:
    assert names.is_participle(name) is answer


def test_the_report_names_places_and_fails_nobody(capsys: pytest.CaptureFixture[str]) -> None:
    assert names.main(["scripts"]) == 0
    printed = capsys.readouterr().out
    assert "functions named by a participle:" in printed
    assert "class names that exist more than once:" in printed
