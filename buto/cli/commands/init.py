"""Write a first buto.yaml for the project in this directory: a Spring Boot or Quarkus service, a jar with
benchmarks of JMH, or a jar with a main class. buto reads pom.xml or build.gradle, the settings and the newest
jar, launches the program once, asks a server for its endpoints (GET only), and says what it saw, what is
missing, and the next command. It replaces no file without --force.

examples:
  mvn package && buto init
  buto init --no-launch
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path

from buto.actions.init import begin
from buto.cli import parsing
from buto.cli.console import Console
from buto.cli.events import EventPrinter
from buto.errors import EXIT_PASS


def add_arguments(parser: ArgumentParser) -> None:
    parsing.declare(
        parser,
        "--force  replace a buto.yaml that is there",
        "--no-launch  write it from the files alone",
    )


def run(args: Namespace, console: Console) -> int:
    events = EventPrinter(console)
    begun = begin(Path(), force=args.force, launch=not args.no_launch, on_event=events)
    console.results(begun.seen)
    console.results(f"to do: {one}" for one in begun.to_do)
    console.result(f"wrote {begun.path}; next: buto train")
    return EXIT_PASS
