"""Two versions that share a cache in the home: turns say so, and in homes of their own they do not."""

from __future__ import annotations

from pathlib import Path

import pytest

from buto.run.store import RunStore
from tests.support.checkout import compile_java
from tests.support.processes.command import buto, called

SOURCE = """
import java.io.File;
import java.nio.file.Files;
public final class Fonts {
    static byte[] kept;
    public static void main(String[] words) throws Exception {
        File cache = new File(System.getenv("HOME"), ".cache/fonts");
        byte[] version = words[0].getBytes();
        if (!cache.exists() || !java.util.Arrays.equals(Files.readAllBytes(cache.toPath()), version)) {
            for (int block = 0; block < 600; block++) {
                kept = new byte[64 * 1024];
            }
            cache.getParentFile().mkdirs();
            Files.write(cache.toPath(), version);
        }
        Thread.sleep(100);
    }
}
"""
CONFIG = """\
version: 1
defaults: {{runs: 5, interval: 20ms, environment: {{HOME: {home}}}{more}}}
tests:
  one: {{command: java -cp classes Fonts 1.0}}
  two: {{command: java -cp classes Fonts 2.0}}
"""
TURNS = "8"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    place = tmp_path / "project"
    place.mkdir()
    (place / "Fonts.java").write_text(SOURCE)
    compile_java(place / "classes", [place / "Fonts.java"])
    (tmp_path / "home").mkdir()
    return place


def configure(project: Path, more: str = "") -> None:
    (project / "buto.yaml").write_text(CONFIG.format(home=project.parent / "home", more=more))


@pytest.mark.all
@pytest.mark.slow
def test_a_shared_cache_is_said_and_isolation_ends_it(project: Path) -> None:
    # In this process, where orders are the same each time: some are too uneven to show what a launch leaves.
    configure(project)
    done = called(project, "compare", "one", "--against", "two", "--runs", TURNS, "-v")
    assert done.returncode in (0, 1, 3), done.stderr
    assert "isolate: home" in done.stdout
    configure(project, ", isolate: home")
    done = called(project, "compare", "one", "--against", "two", "--runs", TURNS, "-v")
    assert done.returncode in (0, 1, 3), done.stderr
    assert "isolate: home" not in done.stdout
    run = list(RunStore(project / ".buto").load_set("two"))[-1]
    assert run.metadata["buto.isolate"] == "home"
    assert run.metadata["system.property[user.home]"] == "own/home"


@pytest.mark.all
@pytest.mark.slow
def test_training_proposes_isolation_where_the_home_changes(project: Path) -> None:
    configure(project)
    done = buto(project, "train", "one")
    assert done.returncode == 0, done.stderr
    assert str(project.parent / "home" / ".cache" / "fonts") in done.stdout + done.stderr
    configure(project, ", isolate: home")
    done = buto(project, "train", "one")
    assert done.returncode == 0, done.stderr
    assert ".cache" not in done.stdout + done.stderr
