"""Record a JVM that is already running, through JMX, for a given time or until it ends. Ctrl-C ends
the recording and keeps it. The id of the run is printed. Time zero is the moment of attaching. If
buto.yaml has a test NAME, its sources are read beside the JVM.

examples:
  buto attach --pid 4711 --duration 10s
  buto attach shop --url service:jmx:rmi:///jndi/rmi://localhost:9010/jmxrmi --mbean 'com.acme:*'
  buto attach shop --url ... --user monitor --password-file jmx.password --truststore trust.p12
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from argparse import _ArgumentGroup as ArgumentGroup
from pathlib import Path

from buto.actions.advice import in_words
from buto.actions.attach import attach
from buto.actions.ending import advice_on
from buto.cli import parsing
from buto.cli.console import Console
from buto.cli.events import EventPrinter
from buto.cli.projects import project_of
from buto.errors import EXIT_NOT_JUDGED, EXIT_PASS, UsageError
from buto.measure.jmx.attach import AttachSpec
from buto.measure.jmx.credentials import Credentials, password_from_environment, password_from_file
from buto.measure.target import MBeanSpec
from buto.project import config
from buto.project.model import parse_interval
from buto.project.options import MEASURING
from buto.run.units import parse_seconds


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "test", metavar="NAME", nargs="?", default="attached", help="the test (default: attached)"
    )
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("--pid", metavar="P", type=int, help="process id of a JVM on this machine")
    which.add_argument("--url", metavar="U", help="JMX service URL")
    parser.add_argument("--duration", metavar="TIME", help="how long to record (default: until the JVM ends)")
    parsing.add_options(parser, "attach")
    group = parser.add_argument_group("a protected JVM (never put passwords on the command line)")
    group.add_argument("--user", metavar="NAME", help="the user's name")
    _add_password(group, "password", "the user's password")
    group.add_argument("--truststore", metavar="FILE", type=Path, help="certificates to trust")
    _add_password(group, "truststore-password", "its password")
    group.add_argument("--keystore", metavar="FILE", type=Path, help="buto's own key")
    _add_password(group, "keystore-password", "its password")
    group.add_argument("--registry-tls", action="store_true", help="the RMI registry speaks TLS, too")


def run(args: Namespace, console: Console) -> int:
    spec = AttachSpec(
        test=args.test,
        pid=args.pid,
        url=args.url,
        duration_s=None if args.duration is None else _positive(args.duration),
        interval_s=parse_interval(args.interval or MEASURING["interval"].default),
        mbeans=tuple(MBeanSpec(pattern) for pattern in args.mbeans or ()),
        credentials=_credentials(args),
        mask=_configured_mask(),
    )
    project = project_of(args)
    run = attach(project, spec, EventPrinter(console))
    console.result(run.id)
    if not run.quality.valid:
        helps = advice_on(run.quality.problems)
        message = f"the run is stored, but is not usable: {run.quality.describe()}"
        console.error(message, None if helps is None else in_words(helps, project.door))
        return EXIT_NOT_JUDGED
    console.info(f"ended by {run.metadata['buto.attach.ended_by']}")
    return EXIT_PASS


def _add_password(parser: ArgumentGroup, name: str, what: str) -> None:
    source = parser.add_mutually_exclusive_group()
    source.add_argument(f"--{name}-file", metavar="FILE", type=Path, help=f"file whose first line is {what}")
    source.add_argument(f"--{name}-env", metavar="NAME", help=f"environment variable with {what}")


def _configured_mask() -> tuple[str, ...]:
    """Return the patterns of secrets in the configuration of this directory."""
    path = config.find(None, Path())
    return () if path is None else config.masks(config.load(path))


def _positive(text: str) -> float:
    duration_s = parse_seconds(text)
    if duration_s <= 0:
        raise UsageError(
            f"--duration: the duration must be positive, got {text}", advice="write it like --duration 10s"
        )
    return duration_s


def _credentials(args: Namespace) -> Credentials:
    return Credentials(
        user=args.user,
        password=_secret(args.password_file, args.password_env, args.user),
        truststore=args.truststore,
        truststore_password=_secret(args.truststore_password_file, args.truststore_password_env),
        keystore=args.keystore,
        keystore_password=_secret(args.keystore_password_file, args.keystore_password_env),
        registry_tls=args.registry_tls,
    )


def _secret(file: Path | None, variable: str | None, user: str | None = None) -> str | None:
    if file is not None:
        return password_from_file(file, user)
    return None if variable is None else password_from_environment(variable)
