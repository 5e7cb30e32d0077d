"""Values of metadata as people read them."""

from __future__ import annotations

import pytest

from buto.judging.classifiers import MetadataSettings, compare_metadata, learn_metadata
from buto.run.model import MetadataValue
from buto.run.names import metadata_text

HEAP = "jvm.memory.heap.max"


@pytest.mark.parametrize(
    ("key", "value", "text"),
    [
        (HEAP, "100663296", "96 MiB"),
        (HEAP, 67108864, "64 MiB"),
        (HEAP, None, "none"),
        ("host.memory.total", 2**33, "8 GiB"),
        ("jvm.memory.pools", "G1 Eden Space", "G1 Eden Space"),
        ("host.cores", 1024, "1024"),
        ("buto.commit", "100663296", "100663296"),
    ],
)
def test_sizes_are_reported_in_units_and_everything_else_as_it_is(
    key: str, value: MetadataValue, text: str
) -> None:
    assert metadata_text(key, value) == text


@pytest.mark.parametrize(
    ("known", "now", "expected"),
    [
        ("67108864", "100663296", "is 96 MiB; it was 64 MiB in training"),
        ("67108864", "67108865", "is '67108865'; it was '67108864' in training"),
    ],
)
def test_a_difference_of_sizes_is_reported_in_units_that_show_it(known: str, now: str, expected: str) -> None:
    settings = MetadataSettings((), (HEAP,))
    (difference,) = compare_metadata(learn_metadata([{HEAP: known}], settings), {HEAP: now}, settings)
    assert difference.describe() == f"{HEAP} {expected}"
