"""Trials that are carried out, interrupted and carried out again; nothing is launched here."""

import gzip
import time
from math import inf
from types import SimpleNamespace

import pytest

from buto.errors import BadFileError
from buto_replications.live import session, trained
from buto_replications.live.calls import EqualTrial
from buto_replications.live.journal import TRAIN, JournalFinding, PartJournal
from buto_replications.live.parts import LivePart
from replications.tests.support.live import an_entry


class Programs:
    """Trains each subject once, as parts do, and notes what it carried out."""

    def __init__(self, broken=(), stops_at=None):
        self.broken, self.stops_at, self.checked = broken, stops_at, []

    def __call__(self, trial, directory, cache, earlier):
        if not any(entry.action == TRAIN and entry.subject == trial.subject for entry in earlier):
            yield an_entry(trial.subject, action=TRAIN, exit_code=3 if trial.subject in self.broken else 0)
        if trial.subject in self.broken:
            return
        if len(self.checked) == self.stops_at:
            raise KeyboardInterrupt
        self.checked.append((trial.subject, trial.condition, trial.number))
        yield an_entry(trial.subject, trial.number, condition=trial.condition)


TRIALS = tuple(
    EqualTrial("chain", subject, condition, number)
    for subject in ("a/x", "b/x", "c/y")
    for condition in ("quiet", "load")
    for number in range(2)
)


def carry_out(data, programs, *, seed=1, deadline_s=inf, only=(), **changes):
    part = LivePart("?", TRIALS, programs, **changes)
    return session.carry_out(part, "chain", data, seed, deadline_s, lambda *ignored: None, only)


def test_each_trial_is_carried_out_once_in_an_order_of_the_seed(tmp_path):
    usual, same, other = Programs(), Programs(), Programs()
    assert carry_out(tmp_path / "usual", usual) == 0
    carry_out(tmp_path / "same", same)
    carry_out(tmp_path / "other", other, seed=2)
    assert len(usual.checked) == len(TRIALS) == len(set(usual.checked))
    assert usual.checked == same.checked != other.checked
    assert set(usual.checked) == set(other.checked)


def test_trials_of_a_part_in_order_are_carried_out_as_they_are_defined(tmp_path):
    programs = Programs()
    carry_out(tmp_path, programs, in_order=True)
    assert programs.checked == [(trial.subject, trial.condition, trial.number) for trial in TRIALS]


def test_an_interrupted_session_goes_on_where_it_stopped(tmp_path):
    whole, first, then = Programs(), Programs(stops_at=5), Programs()
    carry_out(tmp_path / "whole", whole)
    with pytest.raises(KeyboardInterrupt):
        carry_out(tmp_path, first)
    assert carry_out(tmp_path, then) == 0
    assert first.checked + then.checked == whole.checked
    subjects = [e.subject for e in session.journal_of(tmp_path, "chain").entries() if e.action == TRAIN]
    assert sorted(subjects) == ["a/x", "b/x", "c/y"]


def test_no_trial_begins_after_the_time_is_up(tmp_path):
    programs = Programs()
    assert carry_out(tmp_path, programs, deadline_s=time.monotonic()) == len(TRIALS)
    assert programs.checked == []


def test_a_subject_whose_training_failed_is_trained_once_and_never_checked(tmp_path):
    programs = Programs(broken=("b/x",))
    assert carry_out(tmp_path, programs) == 0
    assert {subject for subject, _, _ in programs.checked} == {"a/x", "c/y"}
    failed = [entry for entry in session.journal_of(tmp_path, "chain").entries() if entry.exit_code]
    assert [entry.subject for entry in failed] == ["b/x"]


def test_where_each_trial_begins_anew_a_failed_training_ends_that_trial_alone(tmp_path):
    part = LivePart("?", TRIALS, Programs(), begins_anew=True)
    failed = an_entry("a/x", 0, action=TRAIN, exit_code=3)
    assert [trial for trial in TRIALS if part.is_done(trial, [failed])] == [TRIALS[0]]
    assert len({part.directory(trial, tmp_path) for trial in TRIALS}) == len(TRIALS)


def test_only_some_subjects(tmp_path):
    programs = Programs()
    carry_out(tmp_path, programs, only=["*/y"])
    assert {subject for subject, _, _ in programs.checked} == {"c/y"}


def test_what_is_not_needed_any_more_is_not_carried_out(tmp_path):
    programs = Programs()

    def is_first(trial, earlier):
        return not any(entry.subject == trial.subject for entry in earlier)

    assert carry_out(tmp_path, programs, is_needed=is_first) == 0
    assert sorted(subject for subject, _, _ in programs.checked) == ["a/x", "b/x", "c/y"]


def test_an_entry_is_read_as_it_was_written(tmp_path):
    finding = JournalFinding("jvm.memory.allocated", "total", "more", "worse", 2.0, None)
    written = an_entry(findings=(finding,), old=({"jvm.class.loaded": 1000.0},), named=True)
    journal = PartJournal(tmp_path / "new" / "chain.jsonl")
    journal.append(written)
    assert journal.entries() == [written]


def test_a_line_that_was_cut_off_is_no_entry_and_spoils_no_other(tmp_path):
    journal = PartJournal(tmp_path / "chain.jsonl")
    journal.append(an_entry(number=1))
    whole = journal.path.read_bytes()
    journal.path.write_bytes(whole + whole[: whole.rindex(b"}", 0, -2) + 1])
    journal.append(an_entry(number=2))
    assert [entry.number for entry in journal.entries()] == [1, 2]


def test_a_line_of_another_kind_is_a_bad_file(tmp_path):
    journal = PartJournal(tmp_path / "chain.jsonl")
    journal.path.write_text('{"part": 1}\n')
    with pytest.raises(BadFileError):
        journal.entries()


def test_compressed_entries_come_before_those_that_were_appended(tmp_path):
    journal = PartJournal(tmp_path / "chain.jsonl")
    journal.append(an_entry(number=1))
    archive = tmp_path / "chain.jsonl.gz"
    archive.write_bytes(gzip.compress(journal.path.read_bytes()))
    journal.path.unlink()
    journal.append(an_entry(number=2))
    assert [entry.number for entry in journal.entries()] == [1, 2]
    archive.write_bytes(archive.read_bytes()[:-9])
    with pytest.raises(BadFileError):
        journal.entries()


class Launched:
    """A program that is ready at once, and what was asked of it in place of buto's own launches."""

    name, way = "a/x", "jar-absolute"

    def __init__(self):
        self.asked = []

    def prepare(self, directory, cache):
        directory.mkdir()
        return SimpleNamespace(words=("java", "-version"))

    def call(self, trial, wanted, directory):
        self.asked.append(wanted.action)
        return an_entry(trial.subject, action=wanted.action)


def test_a_program_that_another_machine_trained_is_trained_again(tmp_path, monkeypatch):
    launched = Launched()
    monkeypatch.setattr(trained, "call", launched.call)
    check = trained.check_subjects([launched])
    elsewhere = (an_entry("a/x", action=TRAIN),)
    here = tuple(check(TRIALS[0], tmp_path / "a", tmp_path, elsewhere))
    assert launched.asked == [TRAIN, "check"]
    list(check(TRIALS[0], tmp_path / "a", tmp_path, (*elsewhere, *here)))
    assert launched.asked == [TRAIN, "check", "check"]
