"""Which two programs were typed, for buto compare and buto why alike."""

from __future__ import annotations

from argparse import Namespace

import pytest

from buto.cli.projects import programs_of
from buto.errors import UsageError


def typed(command_name: str, **words: object) -> Namespace:
    usual = {"test": "old", "command": None, "against": None, "revisions": None, "build": None}
    return Namespace(command_name=command_name, **(usual | words))


@pytest.mark.parametrize("name", ["compare", "why"])
@pytest.mark.parametrize(
    "words",
    [
        {"against": "new", "revisions": ("a", "b")},
        {"against": "new", "build": "make"},
        {"command": ("java", "-jar", "old.jar")},
    ],
)
def test_the_advice_names_the_command_that_was_typed(name: str, words: dict[str, object]) -> None:
    with pytest.raises(UsageError) as caught:
        programs_of(typed(name, **words))
    assert (caught.value.advice or "").startswith(f"buto {name} ")
