"""Print a JSON schema: of buto.yaml (config), or of the file that --json writes (result; causes for buto
why, growth for buto grow, size for buto size). Other packages add schemas: buto-predict those of the
architecture and of the prediction.

examples:
  buto schema config > buto.schema.json
  buto schema result
"""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace

from buto import schemas
from buto.cli.console import Console
from buto.errors import EXIT_PASS
from buto.judging import registry
from buto.project.schema import SCHEMA, config_schema


def add_arguments(parser: ArgumentParser) -> None:
    own = " or ".join(schemas.names())
    parser.add_argument("schema", metavar="NAME", help=f"{own}, or one of another package")


def run(args: Namespace, console: Console) -> int:
    console.document(_text(args.schema, console))
    return EXIT_PASS


def _text(name: str, console: Console) -> str:
    if name != SCHEMA:
        return schemas.text(name).rstrip("\n")
    usable = []
    for detector in registry.third_party():
        try:
            usable.append(registry.detector(detector).name)
        except registry.BrokenDetectorError as error:
            console.warning(error.message)
    return json.dumps(config_schema(usable), indent=2, ensure_ascii=False)
