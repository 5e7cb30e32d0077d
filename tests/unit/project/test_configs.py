"""The configurations of the test programs, in ``configs/`` of the checkout."""

from __future__ import annotations

from pathlib import Path

import pytest

from buto.judging.thesis.detector import THESIS
from buto.project.config import load
from tests.support.checkout import ROOT

CONFIGS = ROOT / "configs"
THESIS_TESTS = load(CONFIGS / "thesis.yaml").tests
PARALLEL = load(CONFIGS / "parallel.yaml").tests


@pytest.mark.parametrize("path", sorted(CONFIGS.glob("*.yaml")), ids=lambda path: path.stem)
def test_each_configuration_is_read_and_listed(path: Path) -> None:
    tests = load(path).tests
    assert tests and all(test.settings.method == "thesis" for test in tests.values())
    assert f"`{path.name}`" in (CONFIGS / "README.md").read_text()


def test_the_thesiss_configuration_writes_out_the_best_settings_of_the_method() -> None:
    assert [test.settings for test in THESIS_TESTS.values()] == [THESIS] * len(THESIS_TESTS)


def test_the_thesiss_configuration_starts_variants_of_all_programs() -> None:
    assert {name: test.target for name, test in THESIS_TESTS.items()} == {
        name: PARALLEL[name].target for name in THESIS_TESTS
    }
    assert {name.split("-")[0] for name in THESIS_TESTS} == {name.split("-")[0] for name in PARALLEL}
