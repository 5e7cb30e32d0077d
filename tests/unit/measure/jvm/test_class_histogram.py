"""The list of classes as the JDKs print it, and as a hostile program may make them print it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from buto.measure.diagnostic_command import class_histogram
from buto.run.model import MOST_CLASSES, ClassCount

OF_17 = """\
 num     #instances         #bytes  class name (module)
-------------------------------------------------------
   1:          4567        1234560  [B (java.base@17.0.15)
   2:          2512          80384  com.acme.Session
   3:            10          64000  [[J (java.base@17.0.15)
   4:            20           3200  [Ljava.util.HashMap$Node; (java.base@17.0.15)
   5:             3             48  com.acme.Shop$$Lambda$14/0x0000000800c03000
   6:             2             32  com.acme.Shop$$Lambda$15/0x0000000800c03218
   7:             2             32  java.lang.invoke.LambdaForm$MH/0x0000000800c04000 (java.base@17.0.15)
   8:             1             24  buto.probes.agent.Sampler
   9:             1             16  com.acme.Shop$1"""


def names(printed: str) -> list[str]:
    return [class_count.name for class_count in class_histogram("end", 10**6, 10**9, printed).classes]


def test_names_are_those_of_the_source() -> None:
    found = class_histogram("end", 7000, 2_000_000, OF_17)
    assert (found.point, found.instances, found.bytes) == ("end", 6999, 1_999_976)
    assert found.classes == (
        ClassCount("byte[]", 4567, 1234560),
        ClassCount("com.acme.Session", 2512, 80384),
        ClassCount("long[][]", 10, 64000),
        ClassCount("java.util.HashMap$Node[]", 20, 3200),
        ClassCount("com.acme.Shop$$Lambda", 5, 80),
        ClassCount("java.lang.invoke.LambdaForm$MH", 2, 32),
        ClassCount("com.acme.Shop$1", 1, 16),
    )


def test_names_of_other_jdks() -> None:
    of_8 = "   1:   3   48  com.acme.Shop$$Lambda$1/1418481495"
    of_21 = "   2:   3   48  com.acme.Shop$$Lambda/0x00007f8b3c000a00 (shop@1.0)"
    assert names(of_8 + "\n" + of_21) == ["com.acme.Shop$$Lambda"]


def test_only_the_largest_are_kept() -> None:
    printed = "\n".join(f"{at:4d}: 1 {at + 16}  com.acme.C{at}" for at in range(MOST_CLASSES + 50))
    kept = names(printed)
    assert len(kept) == MOST_CLASSES
    assert kept[0] == f"com.acme.C{MOST_CLASSES + 49}"


def test_names_with_odd_characters_stay_names() -> None:
    """A class may be called almost anything; what is not a whole line does not count."""
    printed = (
        "   1:   3   48  com.acme.A\x1b[31m<script>\n   2: nonsense\n   3:   1   16  é (x) 7:   9   9  b"
    )
    assert names(printed) == ["com.acme.A\x1b[31m<script>", "é (x) 7:   9   9  b"]


@given(st.text())
def test_any_text_gives_a_histogram(text: str) -> None:
    found = class_histogram("end", 0, 0, "   1:   3   48  a\n" + text)
    assert found.classes[0].name


def test_gaps_between_objects_do_not_count():
    """Java 20 and newer list them as classes of their own; their number changes with each collection."""
    printed = """\
   1:           100          90000  [B (java.base@25.0.1)
   2:          1042          93000  [Ljdk.internal.vm.FillerElement; (java.base@25.0.1)
   3:            12            192  jdk.internal.vm.FillerObject (java.base@25.0.1)
"""
    found = class_histogram("end", 2000, 200_000, printed)
    assert [class_count.name for class_count in found.classes] == ["byte[]"]
    assert (found.instances, found.bytes) == (2000 - 1042 - 12, 200_000 - 93_000 - 192)
