"""Network namespaces of this machine, each with an address on one bridge; needs root and the command ip."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

_NETWORK = "10.231.77"


@dataclass(frozen=True, slots=True)
class Namespaces:
    """Namespaces that exist.

    Attributes:
        here: the address of this machine on the bridge.
        prefix: of all names that were given to the kernel.
    """

    here: str
    prefix: str

    def inside(self, name: str) -> list[str]:
        """Return what begins a command that is to be executed in a namespace."""
        return ["ip", "netns", "exec", self.prefix + name]

    def cut(self, name: str) -> None:
        """Cut a namespace off; packets get lost, and no connection is closed."""
        _ip("link", "set", self.prefix + name, "down")

    def join(self, name: str) -> None:
        """Undo :meth:`cut`."""
        _ip("link", "set", self.prefix + name, "up")


@contextmanager
def namespaces(names: Sequence[str]) -> Iterator[Namespaces]:
    """Create a bridge and a namespace for each name, and remove them at the end."""
    # Names of network devices have at most fifteen characters.
    network = Namespaces(f"{_NETWORK}.1", f"b{os.getpid()}")
    bridge = f"{network.prefix}br"
    with ExitStack() as undo:
        _ip("link", "add", bridge, "type", "bridge")
        undo.callback(_ip, "link", "del", bridge)
        _ip("addr", "add", f"{network.here}/24", "dev", bridge)
        _ip("link", "set", bridge, "up")
        for number, name in enumerate(names, start=2):
            space, far = network.prefix + name, f"{network.prefix}x{number}"
            _ip("netns", "add", space)
            # The end of a namespace removes its end of the cable, and so the other one.
            undo.callback(_ip, "netns", "del", space)
            _ip("link", "add", space, "type", "veth", "peer", "name", far, "netns", space)
            _ip("link", "set", space, "master", bridge, "up")
            _ip("-n", space, "addr", "add", f"{_NETWORK}.{number}/24", "dev", far)
            _ip("-n", space, "link", "set", far, "up")
            _ip("-n", space, "link", "set", "lo", "up")
        yield network


def _ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True)
