"""Launches a program and polls it over JMX until it ends, as one does without buto.

``python -m perf.collecting.polling attributes|jmxquery PORT WHERE_JMXQUERY_IS COMMAND``. The first connects
once, from Python through JPype, and asks for the attributes of each platform bean with one
``getAttributes``, ten times a second. The second asks ``jmxquery`` for the same attributes.
"""

from __future__ import annotations

import importlib
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress

INTERVAL_S = 0.1
PATIENCE_S = 60.0

BEANS = {
    "java.lang:type=ClassLoading": ("TotalLoadedClassCount", "LoadedClassCount", "UnloadedClassCount"),
    "java.lang:type=Compilation": ("TotalCompilationTime",),
    "java.lang:type=Memory": ("HeapMemoryUsage", "NonHeapMemoryUsage", "ObjectPendingFinalizationCount"),
    "java.lang:type=Threading": ("DaemonThreadCount", "ThreadCount", "TotalStartedThreadCount"),
    "java.lang:type=OperatingSystem": ("ProcessCpuTime",),
    "java.lang:type=MemoryPool,name=*": ("Usage",),
    "java.lang:type=GarbageCollector,name=*": ("CollectionCount", "CollectionTime"),
    "java.nio:type=BufferPool,name=*": ("Count", "MemoryUsed", "TotalCapacity"),
}
"""The beans of buto's default properties, and the attributes that these are read from."""


def jmx_options() -> tuple[int, list[str]]:
    """Return a port that is free now, and the options with which a JVM listens there."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    prefix = "-Dcom.sun.management.jmxremote"
    options = [f"{prefix}.port={port}", f"{prefix}.rmi.port={port}", f"{prefix}.host=127.0.0.1"]
    options += [f"{prefix}.authenticate=false", f"{prefix}.ssl=false", "-Djava.rmi.server.hostname=127.0.0.1"]
    return port, options


def attributes(url: str) -> Callable[[], object]:
    """Return a function that makes one ``getAttributes`` call a bean, over one connection."""
    import jpype

    jpype.startJVM("-Xrs", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmx64m")
    factory = jpype.JClass("javax.management.remote.JMXConnectorFactory")
    address = jpype.JClass("javax.management.remote.JMXServiceURL")(url)
    server = factory.connect(address).getMBeanServerConnection()
    name = jpype.JClass("javax.management.ObjectName")
    wanted = [
        (bean, jpype.JArray(jpype.JString)(list(names)))
        for pattern, names in BEANS.items()
        for bean in server.queryNames(name(pattern), None)
    ]
    return lambda: [server.getAttributes(bean, names) for bean, names in wanted]


def jmxquery(url: str) -> Callable[[], object]:
    """Return a function that makes one query with a new JVM."""
    library = importlib.import_module("jmxquery")
    connection = library.JMXConnection(url)
    queries = [library.JMXQuery(f"{bean}/{name}") for bean, names in BEANS.items() for name in names]
    return lambda: connection.query(queries)


WAYS = {"attributes": attributes, "jmxquery": jmxquery}


def main() -> None:
    how, port, place, *command = sys.argv[1:]
    sys.path.append(place)
    program = subprocess.Popen(command)
    await_listening(int(port))
    ask = WAYS[how](f"service:jmx:rmi:///jndi/rmi://127.0.0.1:{port}/jmxrmi")
    due = time.monotonic()
    while program.poll() is None:
        ask()
        due = max(due + INTERVAL_S, time.monotonic())
        with suppress(subprocess.TimeoutExpired):
            program.wait(max(0.0, due - time.monotonic()))


def await_listening(port: int) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        with suppress(ConnectionRefusedError), socket.create_connection(("127.0.0.1", port)):
            return
        time.sleep(0.02)
    raise SystemExit("the program does not listen")


if __name__ == "__main__":
    main()
