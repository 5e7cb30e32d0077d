"""async-profiler beside Flight Recorder: native memory, and processor time on Java 17."""

from __future__ import annotations

import os
from collections.abc import Collection
from pathlib import Path

from buto.errors import UsageError
from buto.profiles import Kind

_LIBRARY = "libasyncProfiler.so"
_PLACES = ("", _LIBRARY, f"lib/{_LIBRARY}")

_DOWNLOAD = "https://repo1.maven.org/maven2/tools/profiler/async-profiler/"


def profiler_options(place: Path, kinds: Collection[Kind]) -> list[str]:
    """Return the options that load async-profiler; ``{recordings}`` stands for the directory of recordings.

    Args:
        place: its library, or the directory in which it was unpacked.

    Raises:
        UsageError: there is no such library.
    """
    found = next((path for path in map(place.joinpath, _PLACES) if path.is_file()), None)
    if found is None:
        raise UsageError(
            f"{place} is neither {_LIBRARY} nor a directory that has it", advice=f"get it from {_DOWNLOAD}"
        )
    wanted = ["start", "jfr"]
    wanted += ["event=ctimer", "interval=2ms"] if Kind.CPU in kinds else []
    wanted += ["nativemem=4k"] if Kind.NATIVE in kinds else []
    return [f"-agentpath:{os.path.abspath(found)}={','.join(wanted)},file={{recordings}}/profiler-%p.jfr"]
