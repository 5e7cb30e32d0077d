"""Which files in homes and temporary directories changed while a program ran: caches that launches share."""

from __future__ import annotations

import os
import stat
from collections import deque
from collections.abc import Collection, Sequence
from contextlib import suppress
from pathlib import Path

MOST_ENTRIES = 30_000
"""Of all directories together, those that are nearer to a root first: a tenth of a second."""

_OF_JVMS = ("hsperfdata_", "buto-", ".java_pid", ".attach_pid")
"""How names begin of what a JVM or buto leaves in a temporary directory."""


def find_changed_within(
    homes: Collection[str],
    temporary: Collection[str],
    times_s: Sequence[tuple[float, float]],
    left_out: Collection[str],
) -> tuple[str, ...]:
    """Return the files of this user that were changed last at certain times, after the program has ended.

    Without those that a living process may still write to: another program's, as the log of a daemon. Those
    nearest to a home are first. What cannot be read is left out.

    Args:
        homes: looked at with all that is below them.
        temporary: directories of which only the files are, since many programs have directories there.
        times_s: begin and end of each span, since 1970.
        left_out: absolute paths of files and directories that are not looked at.
    """
    skipped = {os.path.realpath(path) for path in left_out}
    flat = {os.path.realpath(path) for path in temporary if os.path.isabs(path)}
    whole = {os.path.realpath(path) for path in homes if os.path.isabs(path)}
    queue = deque([*sorted(whole), *sorted(flat - whole)])
    entered, paths, n_entries = set[str](), list[str](), 0
    while queue:
        directory = queue.popleft()
        if directory in entered or directory in skipped or directory == os.sep:
            continue
        entered.add(directory)
        with suppress(OSError), os.scandir(directory) as entries:
            for entry in entries:
                n_entries += 1
                if n_entries > MOST_ENTRIES:
                    return _without_held(paths)
                if entry.path in skipped or entry.name.startswith(_OF_JVMS):
                    continue
                # It may be gone since.
                with suppress(OSError):
                    status = entry.stat(follow_symlinks=False)
                    if stat.S_ISDIR(status.st_mode):
                        queue.extend([] if directory in flat else [entry.path])
                    elif _is_own_file(status) and _is_within(status.st_mtime, times_s):
                        paths.append(entry.path)
    return _without_held(paths)


def _without_held(paths: Sequence[str]) -> tuple[str, ...]:
    """Return the paths without those that a living process has open for writing, as far as is known."""
    held = set[str]()
    for process in Path("/proc").glob("[0-9]*") if paths else ():
        with suppress(OSError):
            for descriptor in os.listdir(process / "fd"):
                # It may be closed since.
                with suppress(OSError):
                    path = os.readlink(process / "fd" / descriptor)
                    if path in paths and _is_written(process / "fdinfo" / descriptor):
                        held.add(path)
    return tuple(path for path in paths if path not in held)


def _is_written(description: Path) -> bool:
    lines = dict(line.split(":", 1) for line in description.read_text().splitlines() if ":" in line)
    return int(lines.get("flags", "0"), 8) & os.O_ACCMODE != os.O_RDONLY


def _is_own_file(status: os.stat_result) -> bool:
    return stat.S_ISREG(status.st_mode) and status.st_uid == os.geteuid()


def _is_within(time_s: float, times_s: Sequence[tuple[float, float]]) -> bool:
    return any(begin <= time_s <= end for begin, end in times_s)
