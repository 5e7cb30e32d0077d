"""Class files that a compiler wrote, compared."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from buto.causes.changes import Changes, CodeChange, changes_between
from buto.causes.class_files import CLASS_PATH, DIRECTORY, ClassCache
from buto.causes.classes import Code, code_of

pytestmark = pytest.mark.jvm

OLD = """class Shop {
    int add(int a) { return a + 1; }
    Runnable later() { return () -> System.out.println("a"); }
    String of(int a) { switch (a) { case 1: return "one"; case 70000: return "many"; default: return ""; } }
}"""
MOVED = """class Shop {
    /* other lines, another order, and a string before the others */

    String of(int a) { switch (a) { case 1: return "one"; case 70000: return "many"; default: return ""; } }
    Runnable later() { return () -> System.out.println("a"); }
    int add(int a) { return a + 1; }
}"""


def compiled(directory: Path, text: str, *options: str) -> Code:
    directory.mkdir()
    (directory / "Shop.java").write_text(text)
    command = ["javac", *options, "-d", str(directory / "out"), str(directory / "Shop.java")]
    subprocess.run(command, check=True)
    cache = ClassCache(directory / "cache")
    keys = cache.keys_of({CLASS_PATH: "out", DIRECTORY: str(directory)})
    archives = cache.archives(keys)
    assert archives
    return code_of(archives)


def changes(tmp_path: Path, new: str) -> Changes:
    return changes_between(compiled(tmp_path / "old", OLD, "-g"), compiled(tmp_path / "new", new, "-g:none"))


def test_order_lines_and_debug_data_do_not_count(tmp_path: Path) -> None:
    assert changes(tmp_path, MOVED).is_empty


def test_one_changed_constant_is_one_changed_method(tmp_path: Path) -> None:
    found = changes(tmp_path, MOVED.replace("70000", "70001"))
    assert {name: change.how for name, change in found.methods.items()} == {"Shop.of": CodeChange.CHANGED}
