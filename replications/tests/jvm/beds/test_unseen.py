"""The programs with known regressions on a real JVM: every version does the same work."""

import pytest

from beds.jdk import run
from beds.unseen.catalogue import build, command, programs


@pytest.fixture(scope="module")
def classes(tmp_path_factory):
    return build(tmp_path_factory.mktemp("unseen"))


@pytest.mark.parametrize("program", programs().values(), ids=lambda program: program.name)
def test_all_versions_print_the_same_result(program, classes):
    printed = {run(command("java", [], classes, program.name, version)) for version in program.versions}
    assert len(printed) == 1
    assert printed.pop().startswith(f"{program.name} ")
