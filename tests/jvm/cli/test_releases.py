"""Two questions on real JVMs: does this change use more, and do all changes since the release together?

A program allocates two percent more with each of five commits. Each is a pull request that passes, and none
of them is blamed for those before; the release fails, and names all five.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from buto.actions.branches import PULL_REQUESTS, TARGETS
from tests.support.checkout import compile_java
from tests.support.judging import literal
from tests.support.processes.command import buto
from tests.support.processes.repository import commit, git

SOURCE = """
public final class Shop {
    static final int BLOCKS = %d;
    static volatile byte[] page;
    public static void main(String[] words) throws Exception {
        for (int block = 0; block < BLOCKS; block++) {
            page = new byte[1 << 20];
            if (block %% 20 == 0) {
                Thread.sleep(20);
            }
        }
    }
}
"""
BLOCKS = 200
STEP = 4
"""Two percent."""

ALLOCATED = "jvm.memory.allocated"
JUDGE = {"minimum-effect": {"*": "never", ALLOCATED: "5%"}}
CONFIG = f"""\
version: 1
tests:
  shop:
    command: java -Xmx64m -XX:+UseSerialGC -cp classes Shop
    interval: 50ms
    judge: {literal(JUDGE)}
"""
NO_PROVIDER = dict.fromkeys((*PULL_REQUESTS, *TARGETS, "CI_COMMIT_BRANCH", "CI_DEFAULT_BRANCH"), "")


class Shop:
    """A repository with a trained test."""

    def __init__(self, directory: Path, config: str = CONFIG) -> None:
        self.directory = directory
        git(directory, "init", "--quiet", "--initial-branch=main")
        (directory / "buto.yaml").write_text(config)
        (directory / ".gitignore").write_text(".buto/\nclasses/\nresult.json\n")
        self.build(BLOCKS)
        commit(directory)
        self.buto("train", "shop", exits=0)
        commit(directory)

    def build(self, n_blocks: int) -> None:
        (self.directory / "Shop.java").write_text(SOURCE % n_blocks)
        compile_java(self.directory / "classes", [self.directory / "Shop.java"])

    def buto(self, *words: str, exits: int | None = None) -> subprocess.CompletedProcess[str]:
        done = buto(self.directory, *words, **NO_PROVIDER)
        assert exits in (None, done.returncode), done.stdout + done.stderr
        return done

    def check(self, *words: str, exits: int) -> dict[str, Any]:
        self.buto("check", "shop", "--json", "result.json", *words, exits=exits)
        (result,) = json.loads((self.directory / "result.json").read_text())["tests"]
        return dict(result)

    def head(self) -> str:
        return git(self.directory, "rev-parse", "HEAD").strip()


@pytest.mark.all
def test_the_fifth_small_change_passes_and_the_release_names_all_five(tmp_path: Path) -> None:
    shop = Shop(tmp_path)
    git(tmp_path, "tag", "v1.4")
    shop.buto("release", "shop", "v1.4", exits=0)
    guilty = []
    for number in range(1, 6):
        git(tmp_path, "switch", "--quiet", "--create", f"change-{number}")
        shop.build(BLOCKS + number * STEP)
        commit(tmp_path)
        result = shop.check(exits=0)
        assert result["status"] == "pass"
        guilty.append(shop.head())
        git(tmp_path, "switch", "--quiet", "main")
        git(tmp_path, "merge", "--quiet", "--ff-only", f"change-{number}")
        # The build of the main branch has its own check, which may accuse: its training is five changes old.
        shop.buto("check", "shop")
    result = shop.check("--release", exits=1)
    (since,) = result["verdict"]["since"]
    assert since["subject"] == ALLOCATED
    assert since["release"] == "v1.4"
    named = {name: share for share in since["shares"] for name in share["commits"]}
    assert set(named) == set(guilty)
    size = STEP * (1 << 20)
    for share in named.values():
        assert abs(share["change"] - size) <= max(share["half"], 0.002 * BLOCKS * (1 << 20))
