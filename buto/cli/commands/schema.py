"""``buto schema``."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import ClassVar

from buto import schemas
from buto.cli.printing.console import Console
from buto.errors import EXIT_PASS


class SchemaCommand:
    name: ClassVar[str] = "schema"
    takes_command: ClassVar[bool] = False
    help: ClassVar[str] = """\
Print the JSON schema of a file: of buto.yaml (config), of a model of an architecture, or of what
--json writes (result).

examples:
  buto schema config > buto.schema.json
  buto schema result
"""

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "schema", metavar="NAME", choices=schemas.names(), help=" or ".join(schemas.names())
        )

    def run(self, args: Namespace, console: Console) -> int:
        console.result(schemas.text(args.schema).rstrip("\n"))
        return EXIT_PASS


COMMAND = SchemaCommand()
