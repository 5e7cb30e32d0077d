"""The user that a command becomes, for programs that refuse to run as root."""

from __future__ import annotations

import os
import pwd
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict

from buto.errors import StorageError, UsageError


@dataclass(frozen=True, slots=True)
class Account:
    """A user of this machine.

    Attributes:
        uid, gid: numbers of the user and of its first group.
        groups: numbers of all its groups.
        home: its home directory.
    """

    name: str
    uid: int
    gid: int
    groups: tuple[int, ...]
    home: Path

    def own(self, directory: Path) -> None:
        """Give a directory and all that is in it to the user.

        Raises:
            StorageError: it cannot be given, or the user may not enter a directory above it.
        """
        try:
            for parent, _, files in os.walk(directory):
                for path in (parent, *(os.path.join(parent, name) for name in files)):
                    os.chown(path, self.uid, self.gid, follow_symlinks=False)
        except OSError as error:
            raise StorageError(
                f"{directory} cannot be given to the user {self.name!r}: {error.strerror}"
            ) from error
        for above in directory.resolve().parents:
            if not self._may_enter(above.stat()):
                raise StorageError(
                    f"the user {self.name!r} cannot enter {above}",
                    advice="set TMPDIR to a directory that every user can enter, such as /var/tmp",
                )

    def _may_enter(self, directory: os.stat_result) -> bool:
        if directory.st_uid == self.uid:
            return bool(directory.st_mode & stat.S_IXUSR)
        if directory.st_gid in self.groups:
            return bool(directory.st_mode & stat.S_IXGRP)
        return bool(directory.st_mode & stat.S_IXOTH)


class Identity(TypedDict, total=False):
    """The arguments of :class:`subprocess.Popen` that change the user."""

    user: int
    group: int
    extra_groups: tuple[int, ...]


def account_of(name: str) -> Account | None:
    """Return the account that a command has to become; None if buto itself cannot become another user.

    Raises:
        UsageError: this machine has no such user.
    """
    try:
        found = pwd.getpwnam(name)
    except KeyError:
        raise UsageError(
            f"this machine has no user {name!r}", advice="getent passwd lists the users; useradd makes one"
        ) from None
    if os.geteuid() != 0:
        return None
    groups = tuple(os.getgrouplist(name, found.pw_gid))
    return Account(name, found.pw_uid, found.pw_gid, groups, Path(found.pw_dir))


def identity(account: Account | None) -> Identity:
    """Return how a process is started as this user; nothing without one."""
    if account is None:
        return {}
    return {"user": account.uid, "group": account.gid, "extra_groups": account.groups}
