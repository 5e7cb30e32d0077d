"""From an argument list to an exit code."""

from __future__ import annotations

import argparse
import difflib
import gc
import io
import os
import re
import signal
import stat
import sys
import threading
import traceback
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack, suppress
from types import FrameType, TracebackType
from typing import NoReturn

from buto.cli import registry
from buto.cli.console import Console, Verbosity, silence
from buto.cli.parsing import add_verbosity, goes_to_stdout
from buto.errors import EXIT_NOT_JUDGED, EXIT_USAGE, ButoError, UsageError
from buto.version import __version__

_LAUNCHER = re.compile(r"(\S*/)?(java|mvnw?|gradlew?|sh|bash)")
"""Words that begin a command of the user's."""

EXIT_INTERRUPTED = 130
"""128 + SIGINT, as shells have it."""

_OBJECTS_BETWEEN_COLLECTIONS = 100_000

DOOR_INPUT = "BUTO_DOOR_INPUT"
"""The environment variable by which a build tool says that standard input is open as long as it lives."""

HELD = "held"

_BY_SIGNAL = 128
_AGAIN_S = 0.05

_BUG = "buto: this is a bug in buto, not in your program; please report the lines above"

_EPILOG = """\
examples:
  buto train leaker --runs 10 -- java -cp app.jar com.acme.Main 5 100
  buto check leaker
  buto check --help

exit codes:
  0 pass   1 regression   2 wrong usage   3 could not measure or judge
  4 a file is missing, damaged or written by a newer version   130 stopped by Ctrl-C
"""


def main(argv: list[str] | None = None) -> int:
    """Run one command and return its exit code; print expected failures instead of raising them."""
    try:
        return _carry_out(sys.argv[1:] if argv is None else argv)
    except ButoError as error:
        Console().error(error.message, error.advice)
        return error.exit_code
    except KeyboardInterrupt as stop:
        # Imported here: --help is faster without it.
        from buto.cli.interruption import message_of

        shown = message_of(stop)
        Console().error(shown.message, shown.advice)
        return EXIT_INTERRUPTED


def _carry_out(argv: list[str]) -> int:
    arguments, command_line = _split(argv)
    name = next((word for word in arguments if not word.startswith("-")), None)
    entry = _entry(name) if name else None
    parser = _parser(name, _offered(name, entry, arguments))
    try:
        args, unknown = parser.parse_known_args(arguments)
    except SystemExit as stop:
        # argparse prints its own message; it exits with 0 after --help and 2 for wrong usage.
        return stop.code if isinstance(stop.code, int) else EXIT_USAGE
    if name is None or entry is None:
        raise UsageError("no command given", advice="buto --help")
    if unknown:
        raise _unknown_arguments(name, entry, arguments, unknown, command_line)
    if command_line is not None and not entry.takes_command:
        raise UsageError(f"buto {name} takes no command after --", advice=f"buto {name} --help")
    args.command_name, args.command, args.arguments = name, command_line, arguments
    aside = sys.stderr if goes_to_stdout(args) else None
    try:
        return entry.load().run(args, Console(_verbosity(args), stdout=aside))
    except ButoError as error:
        # Its imports are not needed by a command that succeeds.
        from buto.cli.projects import rephrase

        rephrase(error, args)
        raise


def _entry(name: str) -> registry.Entry:
    try:
        return registry.find(name)
    except registry.UnknownCommandError as error:
        near = "" if error.advice else _guess_meant(name, [*registry.COMMANDS, *registry.EXTENSIONS.names()])
        raise UsageError(f"{error.message}{near}", advice=error.advice or "buto --help") from error


def _unknown_arguments(
    name: str,
    entry: registry.Entry,
    arguments: list[str],
    unknown: list[str],
    command_line: tuple[str, ...] | None,
) -> UsageError:
    """Return the error for unknown arguments: most often the user's command without ``--`` before it."""
    # It imports the runs and thereby numpy, which most calls do not need this early.
    from buto.run.masking import Mask

    guess = ""
    if unknown[0].startswith("-"):
        own = argparse.ArgumentParser(add_help=False)
        entry.load().add_arguments(own)
        guess = _guess_meant(unknown[0].partition("=")[0], re.findall(r"--[a-z][a-z-]+", own.format_usage()))
    advice = f"buto {name} --help"
    launcher = next((word for word in arguments if _LAUNCHER.fullmatch(word)), unknown[0])
    if entry.takes_command and command_line is None and not guess and not launcher.startswith("-"):
        cut = arguments.index(launcher)
        typed = Mask().command(["buto", *arguments[:cut], "--", *arguments[cut:]])
        advice = f"put -- before the program's command: {typed}"
    return UsageError(f"unrecognized arguments: {Mask().command(unknown)}{guess}", advice=advice)


def _guess_meant(word: str, known: Iterable[str]) -> str:
    near = difflib.get_close_matches(word, list(known), n=1)
    return f"; did you mean {near[0]}?" if near else ""


def entry() -> NoReturn:
    """Run the console script ``buto``."""
    # Modules and what they define stay: looking for garbage among them takes a seventh of a short command.
    gc.set_threshold(_OBJECTS_BETWEEN_COLLECTIONS)
    _open_streams()
    for number in (signal.SIGTERM, signal.SIGHUP):
        # Without this, a terminated buto would leave its JVM running. What nohup ignores stays ignored.
        if signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, _exit_by)
    if os.environ.get(DOOR_INPUT) == HELD and stat.S_ISFIFO(os.fstat(0).st_mode):
        threading.Thread(target=_end_with_input, daemon=True).start()
    sys.unraisablehook = _signal_again
    with ExitStack() as stack:
        # The interpreter would exit with a code of its own for what is left in a stream that is full.
        stack.callback(_flush_streams)
        stack.push(_fail_apart)
        sys.exit(main())


def _end_with_input() -> None:
    """Stop this process when whoever holds its standard input has ended, even if by SIGKILL."""
    while os.read(0, 1):
        pass
    # To the main thread, which may wait in a system call: another would leave it there.
    signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGTERM)


def _open_streams() -> None:
    """Let closed standard streams lead nowhere: the next file that is opened would become one of them."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            # The lowest number that is free is this one.
            os.open(os.devnull, os.O_RDWR)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # What the locale cannot show is no reason to fail.
            stream.reconfigure(errors="backslashreplace")


def _flush_streams() -> None:
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            try:
                stream.flush()
            except (OSError, ValueError):
                silence(stream)


def _fail_apart(
    kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
) -> None:
    """Turn an unexpected exception into the exit code of a test that could not be judged.

    Python would exit with 1, which is the code of a regression.
    """
    if error is None or isinstance(error, SystemExit | KeyboardInterrupt):
        return
    with suppress(OSError, ValueError):
        traceback.print_exception(error)
        print(_BUG, file=sys.stderr)
    raise SystemExit(EXIT_NOT_JUDGED) from error


def _signal_again(lost: sys.UnraisableHookArgs) -> None:
    """Deliver a signal again whose exception was lost, as in what Python calls while it forks."""
    error = lost.exc_value
    if isinstance(error, KeyboardInterrupt):
        number = signal.SIGINT
    elif isinstance(error, SystemExit) and isinstance(error.code, int) and error.code > _BY_SIGNAL:
        number = signal.Signals(error.code - _BY_SIGNAL)
    else:
        sys.__unraisablehook__(lost)
        return
    # Not at once: it would be lost again in the same place.
    later = threading.Timer(_AGAIN_S, signal.pthread_kill, (threading.main_thread().ident, number))
    later.daemon = True
    later.start()


def _exit_by(number: int, frame: FrameType | None) -> NoReturn:
    sys.exit(_BY_SIGNAL + number)


def _split(argv: Sequence[str]) -> tuple[list[str], tuple[str, ...] | None]:
    """Return buto's own arguments, and the user's command after the first ``--``, None without one."""
    words = list(argv)
    if "--" not in words:
        return words, None
    cut = words.index("--")
    return words[:cut], tuple(words[cut + 1 :])


def _offered(
    chosen: str | None, entry: registry.Entry | None, arguments: Sequence[str]
) -> Mapping[str, registry.Entry]:
    """Return the commands of the parser: the chosen one, or all if their list may be asked for."""
    if chosen is None or entry is None:
        # Those of other packages are looked up only for the list of all.
        return {**registry.COMMANDS, **registry.load_added()}
    return {chosen: entry} if arguments[0] == chosen else {**registry.COMMANDS, chosen: entry}


def _parser(chosen: str | None, offered: Mapping[str, registry.Entry]) -> argparse.ArgumentParser:
    """Return the parser, with the arguments of the chosen command only: the others need not be imported."""
    parser = argparse.ArgumentParser(
        prog="buto",
        description="Snapshot tests for what a JVM program uses.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"buto {__version__}")
    add_verbosity(parser)
    subparsers = parser.add_subparsers(metavar="COMMAND")
    for name, command_entry in offered.items():
        command = command_entry.load() if name == chosen else None
        subparser = subparsers.add_parser(
            name,
            help=command_entry.summary,
            description=command.__doc__ if command else None,
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        add_verbosity(subparser)
        if command:
            command.add_arguments(subparser)
            if command_entry.takes_command:
                usage = subparser.format_usage().removeprefix("usage: ").rstrip()
                subparser.usage = f"{usage} [-- command ...]"
    return parser


def _verbosity(args: argparse.Namespace) -> Verbosity:
    if getattr(args, "quiet", False):
        return Verbosity.QUIET
    return Verbosity.VERBOSE if getattr(args, "verbose", False) else Verbosity.NORMAL


if __name__ == "__main__":
    entry()
