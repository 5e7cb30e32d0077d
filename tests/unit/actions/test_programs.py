"""Which two programs a command line means, and how each is launched."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from contextlib import ExitStack
from pathlib import Path

import pytest

from buto.actions.compare import ComparedProgram
from buto.actions.compare import test_of as program_of
from buto.actions.events import ignore
from buto.cli.commands.compare import add_arguments
from buto.cli.projects import overrides_of, programs_of, project_of
from buto.errors import UsageError
from buto.project.model import TestConfig

CONFIG = """\
version: 1
defaults: {interval: 50ms, environment: {LANG: C}}
tests:
  shop: {command: java Shop, timeout: 1min}
  shop-next: {command: java -cp next.jar Shop}
"""


def arguments(typed: str) -> Namespace:
    """As the command finds them."""
    before, dashes, behind = typed.partition(" -- ")
    parser = ArgumentParser()
    add_arguments(parser)
    args = parser.parse_args(before.split())
    args.command_name, args.command = "compare", tuple(behind.split()) if dashes else None
    return args


def launched(directory: Path, monkeypatch: pytest.MonkeyPatch, typed: str) -> tuple[TestConfig, ...]:
    (directory / "buto.yaml").write_text(CONFIG)
    monkeypatch.chdir(directory)
    args = arguments(typed)
    project, overrides = project_of(args), overrides_of(args)
    with ExitStack() as stack:
        return tuple(
            program_of(program, project, overrides, None, stack, ignore) for program in programs_of(args)
        )


@pytest.mark.parametrize(
    ("typed", "first", "second"),
    [
        ("a --against b", None, None),
        ("a --against b -- java B", None, ("java", "B")),
        ("a -- java A --against b -- java B", ("java", "A"), ("java", "B")),
        ("a -- java A --against b", ("java", "A"), None),
        (
            "a -- java A --against x y --against b -- java B",
            ("java", "A", "--against", "x", "y"),
            ("java", "B"),
        ),
        ("a -- java -- A --against b -- java -- B", ("java", "--", "A"), ("java", "--", "B")),
    ],
)
def test_each_program_has_the_command_that_stands_behind_its_name(
    typed: str, first: tuple[str, ...] | None, second: tuple[str, ...] | None
) -> None:
    assert programs_of(arguments(typed)) == (
        ComparedProgram("a", ("a", "b"), first),
        ComparedProgram("b", ("b", "a"), second),
    )


def test_revisions_are_two_programs_with_one_command() -> None:
    command = ("java", "A")
    assert programs_of(arguments("a --revisions v1 feature/x -- java A")) == (
        ComparedProgram("a@v1", ("a",), command, "v1"),
        ComparedProgram("a@feature/x", ("a",), command, "feature/x"),
    )


@pytest.mark.parametrize(
    "typed", ["a", "a -- java A", "a -- java A --against", "a -- java A --against b --runs 5 -- java B"]
)
def test_one_program_is_compared_with_nothing(typed: str) -> None:
    with pytest.raises(UsageError, match="a comparison needs a second program"):
        programs_of(arguments(typed))


def test_two_tests_of_a_configuration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = launched(tmp_path, monkeypatch, "shop --against shop-next")
    assert (first.name, second.name) == ("shop", "shop-next")
    assert second.target.command == ("java", "-cp", "next.jar", "Shop")
    assert (first.target.timeout_s, second.target.timeout_s) == (60.0, 600.0)


@pytest.mark.parametrize(
    "typed", ["shop --against other -- java Other", "other -- java Other --against shop"]
)
def test_a_command_alone_is_launched_like_the_other_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, typed: str
) -> None:
    of_name = {test.name: test.target for test in launched(tmp_path, monkeypatch, typed)}
    assert of_name["other"].command == ("java", "Other")
    assert (of_name["other"].timeout_s, of_name["other"].interval_s) == (60.0, 0.05)
    assert of_name["other"].environment == of_name["shop"].environment == {"LANG": "C"}


def test_a_program_that_nobody_describes_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match="no test 'other'"):
        launched(tmp_path, monkeypatch, "shop --against other")
