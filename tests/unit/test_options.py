"""A row of the table of options is all that it takes to see an option in every interface."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from buto.project import options
from buto.project.schema import config_schema
from tests.support.checkout import ROOT

ROW = """
    colour: Annotated[
        Literal["red", "blue"],
        _measuring("paint of the bikeshed", None, "blue", schema={"enum": ["red", "blue"]}),
    ]
"""
BEFORE = '    """How the program of a test is launched and measured, over its configuration."""\n'

INTERFACES = """
import sys, types
from pathlib import Path

module = sys.modules["buto.project.options"] = types.ModuleType("buto.project.options")
exec(compile(sys.stdin.read(), "options.py", "exec"), vars(module))

from buto.project import config
from buto.api.options import call_of
from buto.cli.main import main
from buto.cli.hints import CommandLineFrontEnd
from buto.project.schema import config_schema
from buto.pytest_plugin.mark import test_of
from buto.steps import Action, Step
from buto.actions.project import Files

main(["check", "--help"])

Path("buto.yaml").write_text("{version: 1, tests: {shop: {command: [java, Shop], colour: red}}}")
assert config.load(Path("buto.yaml")).tests["shop"].written["colour"] == "red"
assert main(["record", "shop", "--colour", "green"]) == 2

assert "colour: paint of the bikeshed." in module.Options.__doc__
call = call_of({"colour": "red"}, None)
assert call.overrides.to_data() == {"colour": "red"}
print(call.front_end.step(Step(Action.TRAIN, "shop")))
print(CommandLineFrontEnd(Files.locate(), call.overrides).step(Step(Action.TRAIN, "shop")))

assert test_of("shop", {"jar": "a.jar", "colour": "red"}, {}, Path()).written["colour"] == "red"
assert test_of("shop", {"jar": "a.jar"}, {"colour": "red"}, Path()).written["colour"] == "red"
assert "colour" in module.INI
print(config_schema()["definitions"]["test"]["properties"]["colour"])
"""


def test_a_new_row_is_seen_in_every_interface(tmp_path: Path) -> None:
    source = Path(options.__file__).read_text(encoding="utf-8")
    assert BEFORE in source
    done = subprocess.run(
        [sys.executable, "-c", INTERFACES],
        input=source.replace(BEFORE, BEFORE + ROW),
        cwd=tmp_path,
        text=True,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    shown = " ".join(done.stdout.split())
    assert "--colour {red,blue} paint of the bikeshed (default: blue)" in shown
    assert "invalid choice: 'green'" in done.stderr
    assert 'buto.train("shop", colour="red")' in shown
    assert "buto train shop --colour red" in shown
    assert "{'description': 'Paint of the bikeshed; default blue.', 'enum': ['red', 'blue']}" in shown


@pytest.mark.parametrize("key", options.TEST)
def test_every_key_of_a_test_has_a_shape_and_a_description(key: str) -> None:
    schema = config_schema()
    row = schema["definitions"]["test"]["properties"][key]
    assert row["description"].endswith(".")
    assert "enum" in row or "title" in row or row["$ref"].rpartition("/")[2] in schema["definitions"]


def test_the_largest_number_of_runs_is_that_of_the_schema() -> None:
    runs = config_schema()["definitions"]["runs"]
    assert runs["anyOf"] == [
        {"type": "integer", "minimum": 1, "maximum": options.MAX_RUNS},
        {"const": options.AUTO},
    ]


@pytest.mark.parametrize("name", options.INI)
def test_the_page_of_the_plugin_names_every_default_of_the_ini_file(name: str) -> None:
    assert f"`buto_{name}`" in (ROOT / "docs" / "running" / "pytest.md").read_text(encoding="utf-8")
