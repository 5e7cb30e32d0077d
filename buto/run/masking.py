"""Mask secrets such as passwords, by the names of their variables and options, before anything is written.

docs/evidence/security.md lists what is masked and what is not. A masked value is lost: no digest of it is
kept, because a short value could be guessed from it. Two masked values therefore count as equal.
"""

from __future__ import annotations

import re
import shlex
import threading
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import translate
from functools import lru_cache
from typing import Any

MASKED = "_MASKED_"
"""Replaces a secret. None of its characters is special in shells, markup or JSON."""

NAMES = (
    "*password",
    "*passwd",
    "*passphrase",
    "*passcode",
    "*pwd",
    "pw",
    "*.pw",
    "pass",
    "*.pass",
    "*secret",
    "*token",
    "*credential",
    "*credentials",
    "*apikey",
    "*api.key",
    "*access.key",
    "*access.key.id",
    "*secret.key",
    "*private.key",
    "*encryption.key",
    "*signing.key",
    "*authorization",
    "*connection.string",
    "cookie",
    "*.cookie",
)
"""Shell patterns for names of secrets, in small letters and with a dot between words: ``trustStorePassword``
and ``TRUST_STORE_PASSWORD`` are ``trust.store.password``. Digits at the end do not count."""

SHORTEST_KNOWN = 6
"""Shorter secrets are masked after their names only: elsewhere, too much other text is the same."""

_SHAPES = re.compile(
    r"(?P<url>\b[A-Za-z][A-Za-z0-9+.\-]{0,30}://[^\s/:@'\"]{0,200}:)(?P<in_url>[^\s/'\"]{1,1000})(?=@)"
    r"|(?P<oracle>\bjdbc:oracle:\w{1,30}:[^\s/@'\"]{1,200}/)(?P<in_oracle>[^\s@'\"]{1,1000})(?=@)"
    r"|(?P<scheme>\b(?:[Bb]earer|BEARER|[Bb]asic|BASIC)[ ]+)(?P<in_header>[A-Za-z0-9+/._~\-]{6,}=*)"
    r"|(?P<bare>\b(?:(?:AKIA|ASIA)[0-9A-Z]{16}|gh[pousr]_[0-9A-Za-z]{20,}|glpat-[0-9A-Za-z_\-]{16,}"
    r"|xox[abprs]-[0-9A-Za-z\-]{10,}|eyJ[0-9A-Za-z_\-]{8,2000}\.[0-9A-Za-z_\-]{8,}\.[0-9A-Za-z_\-]*))"
)
"""Passwords in URLs; headers with ``Bearer`` or ``Basic``; keys of AWS, GitHub, GitLab, Slack; web tokens."""

_SIGNS = ("://", "jdbc:", "earer", "EARER", "asic", "ASIC", "AKIA", "ASIA", "gh", "glpat-", "xox", "eyJ")
"""Every text of such a shape contains one of these. Searching for them takes a tenth of the time, which
counts where a program emits a hundred thousand notifications a second."""

_NAME = re.compile(r"(?P<dash>(?<![^\s'\"])--?[DP]?(?=[A-Za-z_]))?(?P<name>[A-Za-z_][\w.\-]*)")
_OPTION = re.compile(r"--?(?P<name>[A-Za-z_][\w.\-]*)")
_ASSIGNED = re.compile(r"(?P<before>--?[DP]?|)(?P<name>[A-Za-z_][\w.\-]*)=(?P<value>.*)", re.DOTALL)
_AFTER_OPTION = re.compile(
    r"(?P<between>=|\s+(?![-\s]))(?P<value>\$\{[^}]*\}(?=\s|$)|.+?(?=\s+-|$))", re.DOTALL
)
_AFTER_NAME = re.compile(
    r"(?P<between>['\"]?\s*[=:]\s*(?!//))"
    r"(?P<value>\"[^\"]*\"|'[^']*'|(?:(?i:basic|bearer|digest|negotiate|token)\s+)?[^\s&;,'\"}\]]+)"
)
_WORD_START = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|[^A-Za-z0-9]+")
_VARIABLES = re.compile(r"(\$\{[^}]*\}|\$\w+)+")
_NO_SECRETS = frozenset({"", "true", "false", "yes", "no", "on", "off", "none", "null", MASKED})
_WORDS = frozenset(name.strip("*.") for name in NAMES)
"""Values that are never masked elsewhere: the password ``password`` must not mask every such word."""

_LEARNING = threading.Lock()
"""Held while a mask learns, so that of two threads that learn at once neither loses its secret."""

_NOT_OF_ENVIRONMENT = frozenset({"PWD", "OLDPWD"})


class Mask:
    """Masks secrets by their names, and values that it has learned wherever they occur.

    Args:
        more: further shell patterns for names; they are also matched with names as written.
    """

    def __init__(self, more: Sequence[str] = ()) -> None:
        self._names = _any_of((*NAMES, *(pattern.lower() for pattern in more)))
        # Replaced and never changed: threads that read sources learn secrets while others mask texts.
        self._known: frozenset[str] = frozenset()
        self._of_known: re.Pattern[str] | None = None
        self._answers: dict[str, bool] = {}

    @classmethod
    def of(cls, more: Sequence[str], command: Sequence[str], *environments: Mapping[str, str]) -> Mask:
        """Return a mask that knows the secrets of a command and of its environment."""
        mask = cls(more)
        for environment in environments:
            for name, value in environment.items():
                if name not in _NOT_OF_ENVIRONMENT and mask.is_secret(name):
                    mask.learn(value)
        mask.words(command)
        return mask

    def is_secret(self, name: str) -> bool:
        """Return whether a name is that of a secret."""
        if name not in self._answers:
            plain = ".".join(filter(None, _WORD_START.split(name))).lower().rstrip("0123456789").rstrip(".")
            fits = self._names.fullmatch
            self._answers[name] = fits(plain) is not None or fits(name.lower()) is not None
        return self._answers[name]

    def learn(self, value: str) -> None:
        """Treat a value as a secret from now on, unless it is too short or a common word."""
        is_telling = len(value) >= SHORTEST_KNOWN and not _is_plain(value) and value.lower() not in _WORDS
        if not is_telling or value in self._known:
            return
        with _LEARNING:
            known = self._known | {value}
            longest_first = sorted(known, key=len, reverse=True)
            self._of_known = re.compile("|".join(map(re.escape, longest_first)))
            self._known = known

    def words(self, words: Sequence[str]) -> list[str]:
        """Mask an argument list: the values of ``--token VALUE`` and ``--token=VALUE``."""
        for word, value in _values(words, self.is_secret):
            self.learn(value if value is not None else word)
        masked = []
        secret_next = False
        for word in words:
            assigned = _ASSIGNED.fullmatch(word)
            if secret_next and not _OPTION.fullmatch(word):
                masked.append(word if _is_plain(word) else MASKED)
            elif assigned and self.is_secret(assigned["name"]):
                value = assigned["value"]
                shown = value if _is_plain(value) else MASKED
                masked.append(f"{assigned['before']}{assigned['name']}={shown}")
            else:
                masked.append(self.text(word))
            secret_next = _names_secret(word, self.is_secret)
        return masked

    def command(self, words: Sequence[str]) -> str:
        """Return an argument list, masked, as it would be typed in a shell."""
        return shlex.join(self.words(words))

    def find_known(self, text: str) -> list[str]:
        """Return the known values that occur in a text."""
        return [value for value in self._known if value in text]

    def hide_known(self, text: str) -> str:
        """Mask known values and texts with the shape of a secret."""
        if self._of_known is not None and any(value in text for value in self._known):
            text = self._of_known.sub(MASKED, text)
        return _SHAPES.sub(_mask_shape, text) if any(sign in text for sign in _SIGNS) else text

    def text(self, text: str) -> str:
        """Mask any text, such as a command line: also what follows the name of a secret.

        After an option, everything up to the next option is masked, because the value may contain blanks.
        """
        parts = []
        end = 0
        for match in _NAME.finditer(text):
            if match.start() < end or not self.is_secret(match["name"]):
                continue
            after = (_AFTER_OPTION if match["dash"] else _AFTER_NAME).match(text, match.end())
            if after is None or _is_plain(after["value"].strip("'\"")):
                continue
            if ":" not in after["between"]:
                self.learn(after["value"].strip("'\""))
            parts += [text[end : match.end()], after["between"], MASKED]
            end = after.end()
        return self.hide_known("".join([*parts, text[end:]]))

    def output(self, printed: bytes) -> bytes:
        """Mask a program's output as :meth:`hide_known` does; all other bytes stay as they are."""
        return self.hide_known(printed.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")

    def entry(self, key: str, value: Any) -> Any:
        """Mask a metadata value; for ``system.property[NAME]`` and ``mbean[BEAN]/NAME``, NAME decides."""
        if isinstance(value, str):
            if _is_plain(value):
                return value
            return MASKED if self.is_secret(_own_name(key)) else self.text(value)
        return MASKED if value is not None and self.is_secret(_own_name(key)) else value

    def data(self, data: Any) -> Any:
        """Mask plain data of a configuration: mappings by their keys, lists of words as command lines."""
        if isinstance(data, Mapping):
            return {key: self._value(key, value) for key, value in data.items()}
        if isinstance(data, list | tuple):
            texts = all(isinstance(item, str) for item in data)
            return self.words(data) if texts else [self.data(item) for item in data]
        return self.text(data) if isinstance(data, str) else data

    def _value(self, key: str, value: Any) -> Any:
        if key == "mask":
            return value
        if isinstance(value, Mapping | list | tuple):
            return self.data(value)
        if self.is_secret(key) and not _is_plain(str(value)):
            return MASKED
        if key == "command" and isinstance(value, str):
            return self._shell_line(value)
        return self.data(value)

    def _shell_line(self, line: str) -> str:
        try:
            words = shlex.split(line)
        except ValueError:
            return self.text(line)
        masked = self.words(words)
        return line if masked == words else shlex.join(masked)


class MaskedMetadata(dict[str, Any]):
    """Metadata in which every value is masked when it is added."""

    def __init__(self, mask: Mask) -> None:
        super().__init__()
        self._mask = mask

    def __setitem__(self, key: str, value: Any) -> None:
        super().__setitem__(key, self._mask.entry(key, value))

    def update(self, *others: Any, **more: Any) -> None:
        """Add values. All secrets are learned before any value is masked: one may quote another."""
        entries = dict(*others, **more)
        for key, value in entries.items():
            if isinstance(value, str) and self._mask.is_secret(_own_name(key)):
                self._mask.learn(value)
        for key, value in entries.items():
            self[key] = value

    def __ior__(self, other: Any) -> MaskedMetadata:  # type: ignore[override,misc]
        self.update(other)
        return self

    def finish(self) -> dict[str, Any]:
        """Return a plain dictionary, with late-learned secrets masked in early values, too.

        Other threads may add values meanwhile.
        """
        return {
            key: self._mask.hide_known(value) if isinstance(value, str) else value
            for key, value in tuple(self.items())
        }


@lru_cache
def _any_of(patterns: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(map(translate, patterns)))


def _is_plain(value: str) -> bool:
    """Return whether a value cannot be a secret: a truth value, nothing, or only variables."""
    return value.lower() in _NO_SECRETS or value == MASKED or _VARIABLES.fullmatch(value) is not None


def _own_name(key: str) -> str:
    if key.startswith("system.property["):
        return key.removeprefix("system.property[").removesuffix("]")
    return key.rpartition("]/")[2] if key.startswith("mbean[") else key


def _names_secret(word: str, is_secret: Any) -> bool:
    option = _OPTION.fullmatch(word)
    return option is not None and not option["name"].startswith("no-") and bool(is_secret(option["name"]))


def _values(words: Sequence[str], is_secret: Any) -> Iterator[tuple[str, str | None]]:
    """Return the secrets in an argument list."""
    for before, word in zip(["", *words], words, strict=False):
        assigned = _ASSIGNED.fullmatch(word)
        if assigned and is_secret(assigned["name"]):
            yield word, assigned["value"]
        elif _names_secret(before, is_secret) and not _OPTION.fullmatch(word):
            yield word, None


def _mask_shape(match: re.Match[str]) -> str:
    for group in ("url", "oracle", "scheme"):
        if match[group] is not None:
            return f"{match[group]}{MASKED}"
    return MASKED
