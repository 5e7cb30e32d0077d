"""The programs that are launched: released tools, a library in a small driver, a service, test programs."""

from __future__ import annotations

import random
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from buto import jars
from buto_replications.live.artefacts import (
    CLOSURE,
    FORMAT,
    GSON,
    JYTHON,
    PLANTUML,
    CentralJar,
    compile_java,
    fetch,
    pack_jar,
)

OPTIONS = ("-Xmx256m", "-XX:+UseSerialGC")
LIB = "lib"


@dataclass(frozen=True, slots=True)
class LiveProgram:
    """A program, however it is launched.

    Attributes:
        main: its main class.
        released: the jars that it needs; the first is its own unless it has ``sources``. A program without
            both is one of buto's test programs.
        sources: the folder of ``java/`` with its source; empty for a released program.
        module: its name as a module; empty if it is not launched as one.
        options: of the JVM.
        arguments: of the program.
        files: contents by path, relative to the working directory.
        workload: what is done to it while it is measured, as in ``buto.yaml``; empty for nothing.
    """

    name: str
    main: str
    released: tuple[CentralJar, ...] = ()
    sources: str = ""
    module: str = ""
    options: tuple[str, ...] = OPTIONS
    arguments: tuple[str, ...] = ()
    files: Mapping[str, str] = field(default_factory=dict)
    workload: Mapping[str, Any] = field(default_factory=dict)

    @property
    def own_jar(self) -> str:
        """Return the name of the file with its main class."""
        if self.sources:
            return f"{self.name}.jar"
        return self.released[0].file if self.released else jars.TESTPROGRAMS

    def put(self, directory: Path, cache: Path) -> list[str]:
        """Write the program's files into a directory; return its class path, the own jar first.

        Raises:
            MeasureError: a jar cannot be fetched, or the source cannot be compiled.
        """
        lib = directory / LIB
        lib.mkdir(parents=True)
        files = [fetch(jar, cache) for jar in self.released]
        if not files and not self.sources:
            files = [jars.path(jars.TESTPROGRAMS)]
        for jar in files:
            shutil.copyfile(jar, lib / jar.name)
        if self.sources:
            path = " ".join(jar.name for jar in files)
            manifest = f"Main-Class: {self.main}\n{f'Class-Path: {path}' if path else ''}\n"
            classes = compile_java(self.sources, cache, files, modular=self.module != "")
            pack_jar(classes, lib / self.own_jar, manifest)
        for place, content in self.files.items():
            path_there = directory / place
            path_there.parent.mkdir(parents=True, exist_ok=True)
            path_there.write_text(content)
        others = [f"{LIB}/{jar.name}" for jar in files if jar.name != self.own_jar]
        return [f"{LIB}/{self.own_jar}", *others]


def _java_source() -> str:
    source = random.Random(7)
    methods = (
        f"  public   int method{number}(int a,int b){{int c=a*{source.randint(2, 99)}+b;"
        f"for(int i=0;i<c;i++){{if(i%{source.randint(2, 9)}==0){{c+=i;}}else{{c-=1;}}}}return c;}}\n"
        for number in range(60)
    )
    return f"package in;\npublic class Sample{{\n{''.join(methods)}}}\n"


def _script() -> str:
    source = random.Random(7)
    functions = (
        f"function f{number}(a,b){{var c=a*{source.randint(2, 99)};"
        f"for(var i=0;i<b;i++){{c+=i%{source.randint(2, 9)};}}return c;}}\n"
        for number in range(60)
    )
    return f"{''.join(functions)}console.log({'+'.join(f'f{number}({number},3)' for number in range(60))});\n"


def _diagram() -> str:
    source = random.Random(7)
    calls = (
        f"actor{source.randint(0, 5)} -> actor{source.randint(0, 5)} : call {number}\n"
        for number in range(40)
    )
    return f"@startuml\n{''.join(calls)}@enduml\n"


_JOB = """\
import re
import random
r = random.Random(7)
words = ['w%d' % r.randint(0, 500) for _ in range(20000)]
count = {}
for word in words:
    count[word] = count.get(word, 0) + 1
print(len(count), sum(1 for word in words if re.match('w[1-3]', word)))
"""

_COMPILER = ("api", "code", "file", "parser", "tree", "util")

DRIVER = LiveProgram("driver", "live.driver.Driver", (GSON,), sources="driver", module="live.driver")
SERVICE = LiveProgram(
    "service",
    "live.service.Service",
    sources="service",
    module="live.service",
    workload={
        "port": "any",
        "ready": {"http": "http://127.0.0.1:${port}/health"},
        "load": {
            "url": "http://127.0.0.1:${port}",
            "requests": {"page": {"path": "/page?${n}"}},
            "arrivals": "even",
            "rate": 100,
            "duration": "1s",
        },
        "stop": True,
    },
)

TOOLS = (
    LiveProgram(
        "closure",
        "com.google.javascript.jscomp.CommandLineRunner",
        (CLOSURE,),
        arguments=(
            *("--compilation_level", "SIMPLE", "--warning_level", "QUIET"),
            *("--js", "in/script.js", "--js_output_file", "/dev/null"),
        ),
        files={"in/script.js": _script()},
    ),
    LiveProgram(
        "jython",
        "org.python.util.jython",
        (JYTHON,),
        options=(*OPTIONS, "-Dpython.cachedir.skip=true", "-Dpython.import.site=false"),
        arguments=("-S", "in/job.py"),
        files={"in/job.py": _JOB},
    ),
    LiveProgram(
        "plantuml",
        "net.sourceforge.plantuml.Run",
        (PLANTUML,),
        module="net.sourceforge.plantuml",
        options=(*OPTIONS, "-Djava.awt.headless=true"),
        arguments=("-tsvg", "-o", "out", "in/diagram.puml"),
        files={"in/diagram.puml": _diagram()},
    ),
    LiveProgram(
        "format",
        "com.google.googlejavaformat.java.Main",
        (FORMAT,),
        options=(
            *OPTIONS,
            *(f"--add-exports=jdk.compiler/com.sun.tools.javac.{name}=ALL-UNNAMED" for name in _COMPILER),
        ),
        arguments=("--dry-run", "in/Sample.java"),
        files={"in/Sample.java": _java_source()},
    ),
)
"""Released tools, each on one small input that is made by code."""

PROGRAMS = (*TOOLS, DRIVER, SERVICE)


def _bed(name: str, main: str, *arguments: str) -> LiveProgram:
    return LiveProgram(
        name,
        f"buto.testprograms.{main}",
        options=("-Xmx64m", "-XX:+UseSerialGC"),
        arguments=("--duration", "300ms", *arguments),
    )


BEDS = (
    _bed("strings", "leaker.Leaker"),
    _bed("builders", "leaker.Leaker", "--object", "string-builder"),
    _bed("threads", "leaker.Leaker", "--object", "thread", "--leaks", "2"),
    _bed("strong", "references.References"),
    _bed("weak", "references.References", "--manager", "weak"),
    _bed("soft", "references.References", "--manager", "soft"),
    _bed("classes", "classloading.ClassLoading"),
    _bed("queue", "consumerproducer.ConsumerProducer"),
)
"""Test programs that end by themselves after .3 s."""
