"""What the reader of heap dumps prints, as paths; and which jars it is read with."""

from __future__ import annotations

from pathlib import Path

import pytest

from buto.errors import MeasureError
from buto.measure import holders
from buto.measure.holders import find_reader, parse
from buto.run.holding import HoldingPath, Reference

PRINTED = """\
drawn\t10
path\t2\tTHREAD_OBJECT
step\tINSTANCE_FIELD\tjava.lang.Thread\tthreadLocals
path\t7\tJNI_GLOBAL
step\tINSTANCE_FIELD\tjava.lang.ClassLoader\tclasses
step\tARRAY_ENTRY\tjava.util.ArrayList\t1
step\tSTATIC_FIELD\tcom.acme.Shop\tORDERS
step\tARRAY_ENTRY\tjava.util.HashMap\tinstance @1 of java.lang.Integer
"""
ORDERS = (
    Reference("STATIC_FIELD", "com.acme.Shop", "ORDERS"),
    Reference("ARRAY_ENTRY", "java.util.HashMap", ""),
)


def test_the_most_frequent_path_comes_first_and_begins_with_its_static_field() -> None:
    assert parse("Order", PRINTED) == (
        HoldingPath("Order", 0.7, "JNI_GLOBAL", ORDERS),
        HoldingPath(
            "Order", 0.2, "THREAD_OBJECT", (Reference("INSTANCE_FIELD", "java.lang.Thread", "threadLocals"),)
        ),
    )


def test_paths_along_a_chain_are_one_however_long() -> None:
    node = "step\tINSTANCE_FIELD\tNode\tnext\n"
    head = "step\tSTATIC_FIELD\tShop\tQUEUE\n"
    printed = "drawn\t4\n" + "".join(f"path\t1\tJNI_GLOBAL\n{head}{node * length}" for length in (1, 2, 9))
    (path,) = parse("Order", printed)
    assert path.share == 0.75
    assert [step.field for step in path.steps] == ["QUEUE", "next"]


@pytest.mark.parametrize("printed", ["path\tmany\tROOT\n", "step\tLOCAL\tA\tb\n", "Exception in thread\n"])
def test_what_is_no_path_is_an_error(printed: str) -> None:
    with pytest.raises(MeasureError):
        parse("Order", printed)


def test_without_all_jars_there_is_no_reader(tmp_path: Path) -> None:
    assert find_reader(tmp_path) is None


def test_a_jar_that_was_changed_is_not_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    jar = tmp_path / "com/acme/reader/1.0/reader-1.0.jar"
    jar.parent.mkdir(parents=True)
    jar.write_bytes(b"changed")
    monkeypatch.setattr(holders, "_PLACES", {"reader": "com/acme/reader/1.0"})
    monkeypatch.setattr(holders, "_DIGESTS", {"reader": "0" * 64})
    assert find_reader(tmp_path) is None
