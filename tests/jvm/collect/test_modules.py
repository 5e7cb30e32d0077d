"""Programs whose JVM does not have all the JDK's modules."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import pytest

from buto.errors import MeasureError
from tests.support.jvm.recorder import Recorder, problems


@pytest.fixture
def module(javac: Path, tmp_path: Path) -> Path:
    """The path of a module ``app``, which requires nothing but the base."""
    source = tmp_path / "source"
    (source / "app").mkdir(parents=True)
    (source / "module-info.java").write_text("module app {}\n")
    main = source / "app" / "Main.java"
    main.write_text("package app; public class Main { public static void main(String[] none) {} }\n")
    command = [javac, "-d", tmp_path / "modules", source / "module-info.java", main]
    subprocess.run(command, check=True, timeout=120)
    return tmp_path / "modules"


def test_a_program_in_a_module_is_measured(record: Recorder, java: str, module: Path) -> None:
    run = record.run(java, "-p", str(module), "-m", "app/app.Main")
    assert problems(run) == []
    assert run.outcome.last_sample == "agent"
    assert (run.stdout, run.stderr) == (b"", b""), "the program prints nothing"


def test_a_jvm_with_few_modules_is_measured_in_public(record: Recorder, java: str, classes: Path) -> None:
    few = "java.base,java.management"
    run = record.run(java, "--limit-modules", few, "-cp", str(classes), "Ends", "100")
    assert run.outcome.last_sample == "agent"
    assert np.isfinite(run.series("jvm.cpu.time")).all()
    assert np.isnan(run.series("buto.snapshot.allocated")).all()
    assert "com.sun.management" in run.nan_reasons["buto.snapshot.allocated"]


def test_a_jvm_that_cannot_be_measured_runs_on(record: Recorder, java: str, classes: Path) -> None:
    with pytest.raises(
        MeasureError, match="its Java lacks java.instrument, java.management, which"
    ) as failure:
        record.run(java, "--limit-modules", "java.base", "-cp", str(classes), "Ends", "100")
    assert "end without buto: exit code 0" in failure.value.message
