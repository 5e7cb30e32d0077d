"""Select properties by name or pattern."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence

from buto.errors import UsageError
from buto.properties import split_name


def select(names: Iterable[str], typed: Sequence[str], where: str) -> list[str]:
    """Return the names that match, in the order of ``typed``, each once.

    A word is a whole name; a metric, which means all of its instances (``jvm.gc.count``); or either with
    ``*`` for any characters. Brackets are not a pattern, because names have them.

    Args:
        where: the owner of these names, for the message.

    Raises:
        UsageError: a word matches none of the names.
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
