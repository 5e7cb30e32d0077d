"""An explanation in every format; its names are chosen by the program under test."""

from __future__ import annotations

import html
import json
import re
from dataclasses import replace

import jsonschema
import pytest
from msgspec import structs

from buto import schemas
from buto.causes.calls import Count
from buto.causes.counted import choose_methods, with_calls
from buto.causes.explain import explain
from buto.causes.model import CallCounts, Explanation, Tier
from buto.causes.profiles import ClassSize, ProfileKind
from buto.causes.report import (
    explanation_json,
    explanation_lines,
    explanation_markdown,
    explanation_page,
)
from buto.causes.sentence import each, sentence
from tests.support.profiles import launches, profile
from tests.support.report.made import EVIL

OLD = {"shop.Cart.add < shop.Main.main": 1e6, "shop.Page.show < shop.Main.main": 1e6}
NEW = {**OLD, "shop.Cart.add < shop.Main.main": 4e6}
HOSTILE = "shop.</script><b>.x\x1b[31m\u202e|`@me`"


def made(n: int = 3, **levels: float) -> Explanation:
    old, new = launches(OLD, n, 1), launches({**NEW, **levels}, n, 2)
    return explain(old, new, (ProfileKind.ALLOCATION, ProfileKind.CPU), test="shop", names=("old", "new"))


def test_the_terminal_names_method_place_amounts_and_share() -> None:
    lines = explanation_lines(made())
    assert lines[0] == "CAUSE  shop: shop.Cart.add allocates more"
    row = next(line for line in lines if line.startswith("  cause"))
    assert re.search(r"allocation +shop\.Cart\.add +Cart\.java:7 +\d+ KiB +3\.\d+ MiB +\d+ %", row)
    assert "  note: no event of: cpu" in lines


def test_the_headline_counts_a_method_once_that_is_a_cause_with_two_classes() -> None:
    explanation = made()
    (allocation, cpu), cause = explanation.kinds, explanation.causes[0]
    twice = (cause, replace(cause, type="int[]"))
    for found, more in ((twice, ""), ((*twice, replace(cause, method="shop.A.b")), ", and 1 further method")):
        changed = structs.replace(explanation, kinds=(structs.replace(allocation, found=found), cpu))
        assert explanation_lines(changed)[0] == f"CAUSE  shop: shop.Cart.add allocates more{more}"


def test_calls_are_told_with_what_one_uses_and_with_what_is_made() -> None:
    explanation = made()
    (allocation, cpu), cause = explanation.kinds, explanation.causes[0]
    cause = replace(cause, type="shop.Problem", at="shop.Text.peek", old=24e6, new=75e6)
    changed = structs.replace(explanation, kinds=(structs.replace(allocation, found=(cause,)), cpu))
    assert choose_methods(changed) == ("shop.Cart.add", "shop.Text.peek", "shop.Problem.<init>")
    old = {"shop.Cart.add": Count(1_000_000, 100_000, 2_400_000), "shop.Text.peek": Count(950)}
    new = {
        "shop.Cart.add": Count(3_125_000, 100_000, 101_600_000),
        "shop.Text.peek": Count(950),
        "shop.Problem.<init>": Count(125_000_000),
    }
    counted = with_calls(changed, old, new)
    assert sentence(counted).endswith(
        ": `shop.Cart.add` (Cart.java:7), called 1 → 3.12 million times, 24 B → 1016 B each with what it "
        "calls, a `Problem` is made 125 million times where none was, "
        "through `shop.Text.peek`, called 950 times."
    )
    row = next(line for line in explanation_lines(counted) if "  cause" in line)
    assert re.search(r"1 → 3\.12 million +24 B → 1016 B +22\.9 MiB", row)
    page = explanation_page(counted)
    assert "called 1 → 3.12 million times" in page
    jsonschema.validate(json.loads(explanation_json(counted)), schemas.load("causes"))
    # What was called in neither launch could not be counted.
    assert with_calls(changed, {}, {}) == changed


@pytest.mark.parametrize(
    ("code", "old", "new", "tier"),
    [
        ("changed", Count(4710), Count(5640), Tier.CAUSE),
        ("new", Count(), Count(20), Tier.CAUSE),
        ("changed", Count(100, 100, 0), Count(100, 100, 14_000), Tier.CAUSE),
        ("changed", Count(100), Count(101), Tier.LIKELY),
        ("changed", Count(100), Count(50), Tier.LIKELY),
        ("echo", Count(4710), Count(5640), Tier.LIKELY),
        ("", Count(4710), Count(5640), Tier.LIKELY),
    ],
)
def test_exact_counts_of_an_edited_method_name_it(code: str, old: Count, new: Count, tier: Tier) -> None:
    explanation = made()
    (allocation, cpu), cause = explanation.kinds, explanation.causes[0]
    likely = replace(cause, tier=Tier.LIKELY, code=code)
    changed = structs.replace(explanation, kinds=(structs.replace(allocation, found=(likely,)), cpu))
    (found,) = with_calls(changed, {cause.method: old}, {cause.method: new}).causes
    assert found.tier is tier


def test_what_samples_tell_of_a_method_is_no_more_than_it_was_counted_to_allocate() -> None:
    """A million calls allocate 44 bytes more each: 44 MB, of which the samples saw three times as much."""
    explanation = made()
    (allocation, cpu), cause = explanation.kinds, explanation.causes[0]
    text = replace(cause, type="java.lang.String", old=380e6, new=466e6)
    bytes_ = replace(cause, type="byte[]", old=100e6, new=146e6)
    found = structs.replace(explanation, kinds=(structs.replace(allocation, found=(text, bytes_)), cpu))

    def rises(each_before: int, each_now: int) -> list[float]:
        old, new = (Count(1_000_000, 1_000_000, each * 1_000_000) for each in (each_before, each_now))
        counted = with_calls(found, {cause.method: old}, {cause.method: new})
        return [told.new - told.old for told in counted.causes]

    assert rises(426, 470) == pytest.approx([86e6 / 3, 46e6 / 3])
    # A method is counted with what it calls, so that its own part may be less.
    assert rises(426, 826) == pytest.approx([86e6, 46e6])
    # Nor do counts that fell tell by how much it rose.
    assert rises(426, 400) == pytest.approx([86e6, 46e6])


def test_echoes_stand_below_what_was_edited() -> None:
    explanation = made()
    (allocation, cpu), cause = explanation.kinds, explanation.causes[0]
    echo = replace(cause, tier=Tier.LIKELY, code="echo", method="a.Echo.run", share=0.86)
    edited = replace(cause, tier=Tier.OTHER, code="changed", method="a.Edited.run", share=0.02)
    changed = structs.replace(explanation, kinds=(structs.replace(allocation, found=(echo, edited)), cpu))
    assert [likely_cause.method for likely_cause in changed.causes] == ["a.Edited.run", "a.Echo.run"]


def test_what_a_call_allocates_is_counted_or_not_told_and_other_kinds_are_sampled() -> None:
    (cause,) = made().kinds[0].of_tier(Tier.CAUSE)
    unknown = replace(cause, old=24e6, new=75e6, calls=(CallCounts(cause.method, 1000, 1000),))
    assert each(unknown) == ""
    assert each(replace(unknown, calls=(CallCounts(cause.method, 1000, 1000, 24.0, 24.0056),))) == "24 B"
    assert each(replace(unknown, kind=ProfileKind.CPU, old=1.0, new=3.0)) == "1 ms → 3 ms"


def test_without_a_cause_the_terminal_says_so() -> None:
    lines = explanation_lines(made(1))
    assert lines[0].startswith("NO CAUSE NAMED  shop: the methods below are the most likely, but not proven")
    assert any(line.startswith("  most likely") for line in lines)
    empty = explain([profile()], [profile()], (ProfileKind.CPU,), test="shop", names=("old", "new"))
    assert explanation_lines(empty)[0] == "NO CAUSE NAMED  shop: no method of the program's own rose"
    assert "No method of the program's own uses more" in explanation_page(empty)


@pytest.mark.parametrize(("release", "is_seen"), [("17.0.15+6", False), ("25+36", True)])
def test_a_jvm_that_tells_nothing_of_files_is_the_reason_for_no_cause(release: str, is_seen: bool) -> None:
    launched = [profile(facts={"version": f"OpenJDK 64-Bit Server VM ({release}) for linux-amd64"})]
    kinds = (ProfileKind.FILES, ProfileKind.CPU)
    unseen = explain(launched, launched, kinds, test="shop", names=("old", "new"))
    assert [kind.is_seen for kind in unseen.kinds] == [is_seen, True]
    why = unseen.kinds[0].remarks[0]
    assert (why in explanation_lines(unseen)[0]) is not is_seen
    assert ("No method of the program" in explanation_page(unseen)) is is_seen


def test_at_most_ten_methods_are_listed_unless_all_are_wanted() -> None:
    many = made(3, **{f"shop.Many.m{number}": 1e6 for number in range(30)})
    assert sum(line.count("Many.java") for line in explanation_lines(many)) == 9
    assert sum(line.count("Many.java") for line in explanation_lines(many, full=True)) == 30


def test_what_explains_nothing_is_listed_only_if_all_is_wanted() -> None:
    """The row is real, but it is a thousandth of what the kind has: its reader would look for nothing."""
    changed = made(3, **{"shop.Log.line": 3e3})
    assert not any("Log.java" in line for line in explanation_lines(changed))
    assert any("Log.java" in line for line in explanation_lines(changed, full=True))
    assert "Log.java" not in explanation_markdown(changed)
    assert any(
        cause["method"] == "shop.Log.line"
        for cause in json.loads(explanation_json(changed))["kinds"][0]["found"]
    )
    assert "shop.Log" not in "".join(choose_methods(changed)), (
        "nor are its calls counted, which could name it"
    )


def test_json_follows_its_schema() -> None:
    grown = explain(
        [profile()],
        [profile(classes={"byte[]": ClassSize(3, 9e6)})],
        (ProfileKind.IO,),
        test="t",
        names=("a", "b"),
    )
    for explanation in (made(), made(1), grown, made(3, **{HOSTILE: 1e6})):
        jsonschema.validate(json.loads(explanation_json(explanation)), schemas.load("causes"))
    assert json.loads(explanation_json(made()))["kinds"][0]["found"][0]["tier"] == "cause"


def test_the_schema_knows_every_kind() -> None:
    of_kind = schemas.load("causes")["properties"]["kinds"]["items"]["properties"]
    known = [kind.value for kind in ProfileKind]
    assert of_kind["kind"]["enum"] == known
    assert of_kind["found"]["items"]["properties"]["kind"]["enum"] == known


@pytest.mark.parametrize("name", [*EVIL, HOSTILE])
def test_names_cannot_leave_their_place_in_any_format(name: str) -> None:
    explanation = made(3, **{name: 8e6})
    page = explanation_page(explanation)
    assert "<b>" not in re.sub(r"<script>.*", "", page, flags=re.DOTALL)
    assert page.count("</script>") == 2
    for text in (page, "\n".join(explanation_lines(explanation)), explanation_markdown(explanation)):
        assert "\x1b" not in text
        assert "\u202e" not in text
    markdown = explanation_markdown(explanation)
    assert "@me" not in markdown and "![i]" not in markdown
    assert "<b>" not in markdown and "<script" not in markdown
    assert all(line.isprintable() for line in markdown.splitlines())


def test_the_page_needs_no_network_and_runs_only_its_own_script() -> None:
    page = explanation_page(made())
    assert "default-src 'none'" in html.unescape(page)
    assert "http://" not in page
    assert "https://" not in page
    assert 'id="flames"' in page


def test_markdown_has_one_marker_and_a_table() -> None:
    text = explanation_markdown(made())
    assert text.startswith("<!-- buto: why%20shop -->\n")
    assert "| cause | allocation | <code>shop.Cart.add</code>" in text
