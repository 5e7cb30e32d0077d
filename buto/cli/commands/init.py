"""Write a first buto.yaml for the project in this directory: a Spring Boot or Quarkus service, a jar with
benchmarks of JMH, or a jar with a main class; or for the command after --. buto reads pom.xml or
build.gradle, the settings and the newest jar, launches the program once, asks a server for its endpoints
(GET only), and says what it saw, what is missing, and the next command. It replaces no file without --force.

examples:
  mvn package && buto init
  buto init --no-launch
  buto init -- java -jar target/server.jar --port 8080
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
    launch, command = not args.no_launch, args.command or ()
    begun = begin(Path(), force=args.force, launch=launch, command=command, reporter=events)
    console.results(begun.seen)
    console.results(f"to do: {step}" for step in begun.to_do)
    console.result(f"wrote {begun.path}; next: buto train")
    return EXIT_PASS
