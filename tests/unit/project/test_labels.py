"""Labels of an environment: where they come from, and where they end up."""

from __future__ import annotations

from pathlib import Path

import pytest

from buto.errors import ConfigError, UsageError
from buto.measure.host import environment
from buto.project.config import Config, load
from buto.project.document import LABELS_VARIABLE, parse_labels

TEXT = """\
version: 1
defaults: {labels: {name: laptop, disk: slow}}
tests:
  a: {command: x, labels: {name: "${WHERE}", database: 17}}
  b: {command: x}
"""


def read(tmp_path: Path, text: str = TEXT, **variables: str) -> Config:
    path = tmp_path / "buto.yaml"
    path.write_text(text)
    return load(path, {"WHERE": "ci", **variables})


def test_labels_are_a_name_and_pairs() -> None:
    assert parse_labels("ci, database=17,quota = half") == {"name": "ci", "database": "17", "quota": "half"}
    assert parse_labels("") == {}


@pytest.mark.parametrize("text", ["a,b", "database=", "=17", "x=1,x=2", "ci;database=17"])
def test_anything_else_is_told(text: str) -> None:
    with pytest.raises(UsageError, match="an environment must be NAME or KEY=VALUE with commas between them"):
        parse_labels(text)


def test_a_test_adds_to_the_defaults_and_the_variable_overrides_both(tmp_path: Path) -> None:
    tests = read(tmp_path).tests
    assert tests["a"].target.labels == {"name": "ci", "disk": "slow", "database": "17"}
    assert tests["b"].target.labels == {"name": "laptop", "disk": "slow"}
    tests = read(tmp_path, **{LABELS_VARIABLE: "farm,disk=fast"}).tests
    assert tests["a"].target.labels == {"name": "farm", "disk": "fast", "database": "17"}


def test_a_variable_that_is_no_environment_is_told(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="an environment must be"):
        read(tmp_path, **{LABELS_VARIABLE: "a,b"})


def test_labels_are_metadata_of_the_run() -> None:
    assert environment({"name": "ci", "database": "17"}) == {
        "environment.name": "ci",
        "environment.label.database": "17",
    }
