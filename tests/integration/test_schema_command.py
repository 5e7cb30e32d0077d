"""The exported schemas."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from buto import schemas
from buto.judging import registry
from buto.project.schema import config_schema
from tests.support.processes.command import called


@pytest.mark.parametrize("name", schemas.names())
def test_each_schema_is_printed_and_is_one(tmp_path: Path, name: str) -> None:
    done = called(tmp_path, "schema", name)
    assert (done.returncode, done.stderr) == (0, "")
    schema = json.loads(done.stdout)
    jsonschema.Draft7Validator.check_schema(schema)
    assert schema == (config_schema(registry.third_party()) if name == "config" else schemas.load(name))


def test_a_schema_of_a_package_that_is_not_installed_names_the_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("buto.extensions.entry_points_of", lambda group: ())
    done = called(tmp_path, "schema", "prediction")
    assert (done.returncode, done.stderr) == (
        2,
        (
            "buto: unknown schema 'prediction'; known are causes, config, growth, result, size\n"
            "try:  pip install ./predict (in a checkout of buto)\n"
        ),
    )
