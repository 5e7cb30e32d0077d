"""What may have changed both programs, in words; no value of a variable is among them."""

from __future__ import annotations

from buto.programs.candidates import Candidate, CandidateChange, CandidateKind, Candidates
from buto.programs.surroundings import FileKind
from buto.report.outside import BOTH, both_changed


def test_every_candidate_is_named_with_what_happened_to_it() -> None:
    found = Candidates(
        (
            Candidate(CandidateKind.SETTING, CandidateChange.CHANGED, "workload.rate"),
            Candidate(
                CandidateKind.FACT, CandidateChange.CHANGED, "time zone", old="Etc/UTC", new="Europe/Berlin"
            ),
            Candidate(CandidateKind.FILE, CandidateChange.CHANGED, "conf/app.properties", FileKind.FILE),
            Candidate(CandidateKind.FILE, CandidateChange.ADDED, "plugins", FileKind.DIRECTORY),
            Candidate(CandidateKind.FILE, CandidateChange.CHANGED, "data", FileKind.LINK, "data-1", "data-2"),
            Candidate(CandidateKind.VARIABLE, CandidateChange.REMOVED, "CACHE"),
        ),
        n_more=7,
    )
    assert both_changed(found) == (
        f"{BOTH}, perhaps: workload.rate in the configuration; time zone Etc/UTC → Europe/Berlin; "
        "conf/app.properties has changed; the directory plugins is new; data leads to data-2, not data-1; "
        "the variable CACHE is not set; 7 more"
    )


def test_without_a_candidate_it_says_what_it_could_not_see() -> None:
    nothing, unknown = both_changed(Candidates()), both_changed(Candidates(is_known=False))
    assert nothing.startswith(BOTH) and unknown.startswith(BOTH)
    assert len({nothing, unknown, BOTH}) == 3


def test_a_name_from_outside_stays_on_its_line() -> None:
    found = Candidates((Candidate(CandidateKind.FILE, CandidateChange.ADDED, "a\nb\x1b[1m", FileKind.FILE),))
    assert not set("\n\x1b") & set(both_changed(found))
