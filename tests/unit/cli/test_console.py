"""What is printed where, and what happens when nobody reads it."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys

import pytest

from buto.cli.console import Console, Verbosity
from tests.support.report import made


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")


def spoken(verbosity: Verbosity) -> tuple[str, str]:
    out, err = io.StringIO(), io.StringIO()
    console = Console(verbosity, out, err)
    console.result("result")
    console.info("info")
    console.detail("detail")
    console.warning("careful", "look up")
    console.error("broken", "mend it")
    return out.getvalue(), err.getvalue()


@pytest.mark.parametrize(
    ("verbosity", "errors"),
    [
        (Verbosity.QUIET, "buto: broken\ntry:  mend it\n"),
        (Verbosity.NORMAL, "info\nwarning: careful\n  try: look up\nbuto: broken\ntry:  mend it\n"),
        (Verbosity.VERBOSE, "info\ndetail\nwarning: careful\n  try: look up\nbuto: broken\ntry:  mend it\n"),
    ],
)
def test_results_go_out_and_everything_else_to_standard_error(verbosity: Verbosity, errors: str) -> None:
    assert spoken(verbosity) == ("result\n", errors)


def test_colour_and_redrawing_need_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    console = Console(stdout=Terminal(), stderr=Terminal())
    assert console.colour
    assert console.animated
    assert not Console(Verbosity.QUIET, Terminal(), Terminal()).animated
    assert not Console(stdout=io.StringIO(), stderr=io.StringIO()).colour
    monkeypatch.setenv("NO_COLOR", "1")
    assert not console.colour
    assert console.animated
    monkeypatch.delenv("NO_COLOR")
    monkeypatch.setenv("TERM", "dumb")
    assert not console.colour
    assert not console.animated


LINE = (("REGRESSION", "bold red"), ("  [b]a:b: \\[/]", ""))


def test_styles_become_colour_on_a_terminal_and_text_is_never_markup() -> None:
    out = Terminal()
    Console(stdout=out).style(LINE)
    assert out.getvalue() == "\x1b[1;31mREGRESSION\x1b[0m  [b]a:b: \\[/]\n"


def test_styles_are_left_out_where_there_is_no_colour() -> None:
    out = io.StringIO()
    Console(stdout=out).style(LINE)
    assert out.getvalue() == "REGRESSION  [b]a:b: \\[/]\n"


def test_an_error_moves_no_cursor_whatever_it_quotes() -> None:
    err = io.StringIO()
    Console(stderr=err).error("no \x1b[2J\u202e\n\tat x", "rm '\x07'")
    assert err.getvalue() == "buto: no \\x1b[2J\\u202e\n        at x\ntry:  rm '\\x07'\n"


@pytest.mark.parametrize("text", made.EVIL)
def test_no_word_of_others_moves_a_cursor_or_gives_a_command(text: str) -> None:
    out, err = io.StringIO(), Terminal()
    console = Console(Verbosity.VERBOSE, out, err)
    for say in (console.result, console.info, console.detail, console.warning, console.error):
        say(text)
    console.results([f"  {text}"])
    console.style([(text, "bold red"), (text, "")])
    console.rewrite(text)
    assert all(char.isprintable() or char == "\n" for char in out.getvalue())
    own = re.compile(r"\x1b\[(3[136]m|0m|K)|\r")
    assert all(char.isprintable() or char == "\n" for char in own.sub("", err.getvalue()))
    for line in (out.getvalue() + own.sub("", err.getvalue())).split("\n"):
        assert not line.lstrip().startswith("::")
        assert not re.search(r"##\w*\[", line)


def test_what_another_program_reads_is_printed_as_it_is() -> None:
    out = io.StringIO()
    Console(stdout=out).document("a\tb\x9b")
    assert out.getvalue() == "a\tb\x9b\n"


def test_long_lines_are_left_to_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    out = Terminal()
    Console(stdout=out).style([("next: buto train leaker -- java " + "-cp some/path.jar " * 10, "")])
    assert out.getvalue().count("\n") == 1


def test_a_line_is_redrawn_in_place() -> None:
    err = Terminal()
    console = Console(stderr=err)
    console.rewrite("one")
    console.rewrite("")
    assert err.getvalue() == "\r\x1b[Kone\r\x1b[K"


def test_a_reader_that_has_gone_ends_the_printing_but_not_the_command() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    script = (
        "from buto.cli.console import Console\n"
        "console = Console()\n"
        "for line in range(10): console.result('x' * 10000)\n"
        "console.info('went on')\n"
        "raise SystemExit(7)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        stdout=writer,
        stderr=subprocess.PIPE,
        text=True,
        timeout=30,
        check=False,
    )
    os.close(writer)
    assert (done.returncode, done.stderr) == (7, "went on\n")
