"""The exceptions of buto, each with the exit code of the command.

Every message states what failed, with the value or path, and the next command to type.
Only :mod:`buto.cli` catches :class:`ButoError`, prints it and exits; any other
exception is a defect of buto and keeps its traceback.
"""

from collections.abc import Callable

EXIT_PASS = 0
EXIT_REGRESSION = 1
EXIT_USAGE = 2
EXIT_NOT_JUDGED = 3
EXIT_BAD_FILE = 4


class ButoError(Exception):
    """Root of all expected failures.

    Args:
        message: what failed, with the value or path in question.
        advice: what to do next, if possible a command to type, see :class:`buto.steps.Advice`; printed on a
            line of its own, also below a traceback.
    """

    exit_code = EXIT_NOT_JUDGED

    def __init__(self, message: str, *, advice: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.advice: str | None = None
        if advice is not None:
            self.advise(advice)

    def advise(self, advice: str) -> None:
        """Replace what is said of what to do next, also below a traceback."""
        self.advice = advice
        self.__notes__ = [advice]

    def rephrase(self, words: Callable[[str], str]) -> None:
        """Replace what is said by what this function makes of it."""
        self.message = words(self.message)
        self.args = (self.message,)
        if self.advice is not None:
            self.advise(words(self.advice))


class UsageError(ButoError):
    """The command line or the configuration cannot be carried out."""

    exit_code = EXIT_USAGE


class ConfigError(UsageError):
    """A configuration file does not follow its schema; the message contains file:line."""


class MeasureError(ButoError):
    """The program could not be measured: it did not start, was not a JVM, hung, or failed."""

    exit_code = EXIT_NOT_JUDGED


class EngineLostError(MeasureError):
    """Whatever carries out the launches is gone, so that no test can be launched any more."""


class JudgeError(ButoError):
    """The runs cannot be judged: they are too few, differ, or are invalid."""

    exit_code = EXIT_NOT_JUDGED


class StorageError(ButoError):
    """The store cannot be written or reached: full, read-only, taken by another process, or not answering."""

    exit_code = EXIT_NOT_JUDGED


class BadFileError(ButoError):
    """A stored file is missing, damaged, or of a version that this buto does not read."""

    exit_code = EXIT_BAD_FILE
