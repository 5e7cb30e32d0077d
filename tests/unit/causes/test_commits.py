"""The commit that changed a method is found between two revisions."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path

from msgspec import structs

from buto.causes.commits import MOST_LINES, with_commits
from buto.causes.explain import explain
from buto.causes.model import Explanation
from buto.causes.profiles import ProfileKind
from buto.causes.report import explanation_lines, explanation_markdown
from buto.causes.sentence import likely, sentence
from tests.support.profiles import launches

FILE = "src/shop/Cart.java"
FIRST = "package shop;\nclass Cart {\n  void add() {\n    one();\n  }\n  void show() {}\n}\n"


def git(place: Path, *words: str) -> None:
    identity = ("-c", "user.name=a", "-c", "user.email=a@b.example")
    subprocess.run(["git", *identity, *words], cwd=place, check=True, capture_output=True)


def committed(place: Path, subject: str, **files: str) -> None:
    for name, text in files.items():
        (place / FILE).with_name(f"{name}.java").write_text(text)
    git(place, "add", "-A")
    git(place, "commit", "-q", "-m", subject)


def explained(line: int) -> Explanation:
    old, new = {"shop.Cart.add < shop.Main.main": 1e6}, {"shop.Cart.add < shop.Main.main": 4e6}
    kinds = (ProfileKind.ALLOCATION,)
    found = explain(launches(old, 3, 1), launches(new, 3, 2), kinds, test="shop", names=("a", "b"))
    (allocation,) = found.kinds
    cause = replace(allocation.found[0], code="changed", line=line)
    return structs.replace(found, kinds=(structs.replace(allocation, found=(cause,)),))


def test_the_commit_that_changed_the_line_is_told_else_the_only_one_of_the_file(tmp_path: Path) -> None:
    (tmp_path / FILE).parent.mkdir(parents=True)
    git(tmp_path, "init", "-q")
    committed(tmp_path, "first", Cart=FIRST)
    git(tmp_path, "tag", "v1")
    committed(tmp_path, "Add twice", Cart=FIRST.replace("one();", "one(); one();"))
    git(tmp_path, "tag", "v2")
    committed(tmp_path, "Show more", Cart=FIRST.replace("one();", "one(); one();").replace("{}", "{ }"))
    committed(tmp_path, "Other", Page="class Page {}\n")

    def told(line: int, old: str, new: str) -> str:
        return sentence(with_commits(explained(line), tmp_path / "src", (old, new)))

    assert told(4, "v1", "HEAD").split(" by `")[1].split(" ", 1)[1] == "Add twice`."
    # Two commits changed the file, and neither this line.
    assert " by " not in told(1, "v1", "HEAD")
    assert told(0, "v2", "HEAD").endswith(" Show more`.")
    # The line is beyond the end of the file, as of generated code.
    assert told(900, "v1", "v2").endswith(" Add twice`.")
    assert " by " not in told(4, "HEAD", "HEAD")


def test_the_part_of_the_diff_next_to_the_line_is_shown(tmp_path: Path) -> None:
    (tmp_path / FILE).parent.mkdir(parents=True)
    git(tmp_path, "init", "-q")
    committed(tmp_path, "first", Cart=FIRST)
    longer = "".join(f"    one({number});\n" for number in range(MOST_LINES + 3))
    changed = FIRST.replace("    one();\n", longer).replace("void show() {}", "void show() { <b>(); }")
    committed(tmp_path, "second", Cart=changed)

    def known(line: int, new: str = "HEAD") -> Explanation:
        return with_commits(explained(line), tmp_path, ("HEAD~1", new))

    def shown(line: int) -> tuple[str, ...]:
        return likely(known(line))[0].diff

    last = 6 + MOST_LINES + 2
    assert shown(last) == ("-  void show() {}", "+  void show() { <b>(); }")
    assert shown(5) == (
        "-    one();",
        *(f"+    one({number});" for number in range(MOST_LINES - 1)),
        "... and 4 more lines",
    )
    # Two parts, and no line that would choose one.
    assert shown(0) == ()
    assert "    +  void show() { <b>(); }" in "\n".join(explanation_lines(known(last)))
    assert "+  void show() { &lt;b&gt;(); }</pre>" in explanation_markdown(known(last))
    # As in a clone without history.
    assert known(last, "HEAD~9") == explained(last)


def test_a_diff_of_lines_with_tabs_form_feeds_and_other_encodings_is_readable(tmp_path: Path) -> None:
    (tmp_path / FILE).parent.mkdir(parents=True)
    git(tmp_path, "init", "-q")
    committed(tmp_path, "first", Cart=FIRST)
    changed = FIRST.replace("    one();", "\tone(); // \f caf\u00e9")
    (tmp_path / FILE).write_bytes(changed.replace("\n", "\r\n").encode("latin-1"))
    git(tmp_path, "commit", "-q", "-a", "-m", "second")
    text = explanation_markdown(with_commits(explained(4), tmp_path, ("HEAD~1", "HEAD")))
    assert text.encode("utf-8").decode() == text
    committed(tmp_path, "third", Cart=FIRST)
    shown = likely(with_commits(explained(4), tmp_path, ("HEAD~1", "HEAD")))[0].diff
    assert any(line.startswith("-    one(); // \f caf") for line in shown)
