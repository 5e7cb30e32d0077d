"""Check what buto can read of a process from outside, by reading itself."""

from __future__ import annotations

import os

from buto.collect.doctor.machine import Check, Level
from buto.collect.process.processor_events import NoEventError, ProcessorEvents
from buto.collect.procfs.process_files import ProcessFiles
from buto.collect.procfs.texts import ProcError


def check_process_files() -> Check:
    """Check which files of /proc can be read; other properties do not depend on them."""
    name = "process counters"
    try:
        with ProcessFiles(os.getpid()) as files:
            reads = {
                "page faults and threads": files.stat,
                "memory": files.memory,
                "proportional memory": files.pss,
                "input and output": files.transfers,
                "descriptors": files.n_descriptors,
                "sockets": files.n_sockets,
                "context switches": files.switches,
            }
            missing = {}
            for what, read in reads.items():
                try:
                    read()
                except ProcError as reason:
                    missing[what] = reason.message
    except ProcError as reason:
        return Check(name, Level.WARNING, reason.message, "mount /proc without hidepid")
    readable = ", ".join(what for what in reads if what not in missing)
    if missing:
        detail = "; ".join(f"no {what}: {why}" for what, why in missing.items())
        advice = "runs lack these properties; give buto the rights of the program's user, or another kernel"
        return Check(name, Level.WARNING, detail, advice)
    return Check(name, Level.OK, f"/proc has {readable}")


def check_processor_events() -> Check:
    """Check whether the processor counts instructions and cycles for a program.

    It is a warning only if somebody can change it: most virtual machines cannot count.
    """
    name = "processor counters"
    with ProcessorEvents.of_this_process() as events:
        reasons: list[NoEventError] = []
        for kind in events.kinds:
            try:
                events.count(kind)
            except NoEventError as reason:
                reasons.append(reason)
        what = " and ".join(kind.name for kind in events.kinds)
    if not reasons:
        return Check(name, Level.OK, f"{what} can be counted")
    detail = f"not recorded: {'; '.join(reason.message for reason in reasons)}"
    advice = next((str(reason.advice) for reason in reasons if reason.advice), None)
    return Check(name, Level.WARNING if advice else Level.OK, detail, advice)
