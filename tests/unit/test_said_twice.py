"""Each statement is on one of the users' pages."""

from __future__ import annotations

from scripts import said_twice

MOST_SENTENCES = 2
"""What two pages need alike, such as an order of steps."""

SAID = "A check fails if the new program differs in the runs that it took in turns with the old one."


def test_the_pages_say_hardly_anything_twice() -> None:
    sentences = said_twice.sentences_twice(said_twice.read())
    assert len(sentences) <= MOST_SENTENCES, "\n".join(map(str, sentences))


def test_the_same_words_on_two_pages_are_found_whatever_is_around_and_within_them() -> None:
    linked = SAID.replace("new program", "[new program](c.md)").replace("turns", "`turns`")
    pages = {
        "a.md": f"# One\n\nAs you know, {SAID}\n",
        "b.md": f"| key | {linked} |\n",
        "c.md": "A check fails if the new program differs.\n",
    }
    (found,) = said_twice.sentences_twice(pages)
    assert found.pages == ("a.md", "b.md")
    assert "in the runs that it took in turns with the old one" in found.text


def test_code_headings_and_one_page_alone_do_not_count() -> None:
    code = f"```text\n{SAID}\n```\n\n    {SAID}\n\n## {SAID}\n"
    assert said_twice.sentences_twice({"a.md": code, "b.md": code}) == []
    assert said_twice.sentences_twice({"a.md": f"{SAID}\n\n{SAID}\n"}) == []


def test_a_figure_on_two_pages_is_found_by_its_unit() -> None:
    pages = {
        "a.md": "It loads 1,500 classes and takes 10 runs.",
        "b.md": "About 1,500 classes, `256 MiB`, 10 runs.",
        "c.md": "1,500 threads, 256 MiB.",
    }
    (found,) = said_twice.figures_twice(pages)
    assert (found.text, found.pages) == ("1,500 classes", ("a.md", "b.md"))
