"""Argument files of the java launcher: ``@FILE`` in a command stands for the words in FILE."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum, auto

_BLANKS = " \t\n\r\f"
_LINE_ENDS = "\n\r"
_ESCAPED = {"n": "\n", "r": "\r", "t": "\t", "f": "\f"}
_WRITTEN = str.maketrans({"\n": "\\n", "\r": "\\r", "\t": "\\t", "\f": "\\f", "\\": "\\\\", '"': '\\"'})


class _State(Enum):
    BETWEEN = auto()
    COMMENT = auto()
    WORD = auto()
    QUOTE = auto()
    ESCAPE = auto()
    CONTINUED = auto()


def words_of(text: str) -> list[str]:
    r"""Return the words of an argument file, as the launcher of JDK 9 and newer reads them.

    Words end at blanks outside of quotes. In quotes a backslash escapes: ``\n``, ``\t``, ``\r`` and ``\f``
    are characters, one at the end of a line continues with the first text of the next line, and any other
    stands for what follows it. The end of a line also ends an open quote. ``#`` outside of quotes begins a
    comment, in which the launcher loses the unquoted text directly before it.
    """
    found: list[str] = []
    saved: list[str] = []
    unsaved, quote, state = "", "", _State.BETWEEN
    for character in text:
        match state:
            case _State.BETWEEN | _State.CONTINUED if character in _BLANKS:
                continue
            case _State.BETWEEN | _State.CONTINUED:
                unsaved = ""
                state = _State.WORD if state is _State.BETWEEN else _State.QUOTE
            case _State.ESCAPE:
                unsaved = ""
                is_continued = character in _LINE_ENDS
                state = _State.CONTINUED if is_continued else _State.QUOTE
                if not is_continued:
                    saved.append(_ESCAPED.get(character, character))
                continue
            case _State.COMMENT:
                state = _State.BETWEEN if character in _LINE_ENDS else state
                continue
        in_quote = state is _State.QUOTE
        if character in _LINE_ENDS or (character in _BLANKS and not in_quote):
            found.append("".join([*saved, unsaved]))
            saved, state = [], _State.BETWEEN
        elif character == "#" and not in_quote:
            state = _State.COMMENT
        elif character == "\\" and in_quote:
            saved.append(unsaved)
            state = _State.ESCAPE
        elif character in "'\"" and (not in_quote or character == quote):
            saved += [unsaved] if unsaved else []
            unsaved, quote = "", character
            state = _State.WORD if in_quote else _State.QUOTE
        else:
            unsaved += character
    if state in (_State.WORD, _State.QUOTE):
        saved += [unsaved] if unsaved else []
        found += ["".join(saved)] if saved else []
    return found


def text_of(words: Iterable[str]) -> str:
    """Return the text of an argument file with these words."""
    return "".join(f'"{word.translate(_WRITTEN)}"\n' for word in words)
