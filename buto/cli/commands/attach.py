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
from functools import partial

from buto.actions.attach import attach
from buto.actions.ending import advice_on
from buto.cli import parsing
from buto.cli.console import Console
from buto.cli.projects import front_end_for, printer_for, project_of
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
    parsing.declare(
        parser.add_mutually_exclusive_group(required=True),
        "--pid P  process id of a JVM on this machine",
        "--url U  JMX service URL",
    )
    parsing.declare(parser, "--duration TIME  how long to record (default: until the JVM ends)")
    parsing.add_options(parser, "attach")
    group = parser.add_argument_group("a protected JVM (never put passwords on the command line)")
    declare = partial(parsing.declare, group)
    declare("--user NAME  the user's name")
    _add_password(group, "password", "the user's password")
    declare("--truststore FILE  certificates to trust")
    _add_password(group, "truststore-password", "its password")
    declare("--keystore FILE  buto's own key")
    _add_password(group, "keystore-password", "its password")
    declare("--registry-tls  the RMI registry speaks TLS, too")


def _add_password(parser: ArgumentGroup, name: str, what: str) -> None:
    parsing.declare(
        parser.add_mutually_exclusive_group(),
        f"--{name}-file FILE  file whose first line is {what}",
        f"--{name}-env NAME  environment variable with {what}",
    )


def run(args: Namespace, console: Console) -> int:
    duration_s = None if args.duration is None else parse_seconds(args.duration)
    if duration_s is not None and duration_s <= 0:
        raise UsageError(
            f"--duration: the duration must be positive, got {args.duration}",
            advice="write it like --duration 10s",
        )
    project = project_of(args)
    spec = AttachSpec(
        test=args.test,
        pid=args.pid,
        url=args.url,
        duration_s=duration_s,
        interval_s=parse_interval(args.interval or MEASURING["interval"].default),
        mbeans=tuple(MBeanSpec(pattern) for pattern in args.mbeans or ()),
        credentials=Credentials(
            user=args.user,
            password=_secret(args, "password", args.user),
            truststore=args.truststore,
            truststore_password=_secret(args, "truststore_password"),
            keystore=args.keystore,
            keystore_password=_secret(args, "keystore_password"),
            registry_tls=args.registry_tls,
        ),
        mask=() if project.configuration is None else config.masks(project.configuration),
    )
    run = attach(project, spec, printer_for(args, project, console))
    console.result(run.id)
    if not run.quality.valid:
        helps = advice_on(run.quality.problems)
        message = f"the run is stored, but is not usable: {run.quality.describe()}"
        console.error(message, None if helps is None else front_end_for(args, project).words(helps))
        return EXIT_NOT_JUDGED
    console.info(f"ended by {run.metadata['buto.attach.ended_by']}")
    return EXIT_PASS


def _secret(args: Namespace, name: str, user: str | None = None) -> str | None:
    file, variable = getattr(args, f"{name}_file"), getattr(args, f"{name}_env")
    if file is not None:
        return password_from_file(file, user)
    return None if variable is None else password_from_environment(variable)
