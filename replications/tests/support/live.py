"""Entries of live experiments, of known content."""

from buto_replications.live.journal import CommandEntry


def an_entry(subject="closure/jar-relative", number=0, **changes):
    """Return the entry of a check on a quiet machine that passed after one launch."""
    usual = {
        "part": "chain",
        "condition": "quiet",
        "action": "check",
        "command": ("buto", "check", "program"),
        "words": ("--", "java", "-jar", "lib/x.jar"),
        "exit_code": 0,
        "seconds": 2.0,
        "launches": 1,
        "reached_turns": False,
        "first_line": "PASS  program",
        "status": "pass",
        "findings": (),
        "noted": (),
        "reasons": (),
        "environment": {"buto": "1.0", "java": "/usr/bin/java", "kernel": "6.1", "cores": 2.0},
        "at": "2026-01-01T00:00:00+00:00",
    }
    return CommandEntry(subject=subject, number=number, **{**usual, **changes})


def a_launch(**counters):
    """Return the exact counters of a launch, with those that are given in place of the usual ones."""
    return {"jvm.class.loaded": 1000.0, "jvm.memory.allocated": 5e6, **counters}
