"""The exported schemas."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from buto import schemas
from buto.config.schema import config_schema
from tests.support.processes.command import called


@pytest.mark.parametrize("name", schemas.names())
def test_each_schema_is_printed_and_is_one(tmp_path: Path, name: str) -> None:
    done = called(tmp_path, "schema", name)
    assert (done.returncode, done.stderr) == (0, "")
    schema = json.loads(done.stdout)
    jsonschema.Draft7Validator.check_schema(schema)
    assert schema == (config_schema() if name == "config" else schemas.load(name))
