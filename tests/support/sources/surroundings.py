"""What sources know of a program in tests without one."""

from __future__ import annotations


class NoProgram:
    """Stands where no program runs."""

    pid: int | None = None

    def members(self) -> list[int]:
        return []

    def ports(self) -> tuple[int, ...]:
        return ()
