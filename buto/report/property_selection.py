"""Which properties a person means by what was typed."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence

from buto.errors import UsageError
from buto.properties import split_name


def select(names: Iterable[str], typed: Sequence[str], where: str) -> list[str]:
    """The names that were meant, in the order in which they were typed, each once.

    A whole name; a metric, which means all of its instances (``jvm.gc.count``); or either with ``*`` for any
    characters. Brackets are no pattern, for names have them.

    Args:
        where: what has these names, for the message.

    Raises:
        UsageError: something that was typed means none of the names.
    """
    known = list(names)
    chosen: dict[str, None] = {}
    for word in typed:
        pattern = re.compile(".*".join(map(re.escape, word.split("*"))), re.DOTALL)
        found = [one for one in known if pattern.fullmatch(one) or pattern.fullmatch(split_name(one)[0])]
        if not found:
            near = difflib.get_close_matches(word, known, n=1)
            guess = f"; did you mean {near[0]!r}?" if near else ""
            raise UsageError(f"{where} has no property {word!r}{guess}", advice="'*' means any characters")
        chosen.update(dict.fromkeys(found))
    return list(chosen)
