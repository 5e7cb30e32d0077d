"""What may have changed both programs, in words."""

from __future__ import annotations

from buto.programs.candidates import Candidate, CandidateChange, CandidateKind, Candidates
from buto.programs.surroundings import FileKind
from buto.report.sanitize import one_line

BOTH = "something that both read has changed"

_OF_FILE = {
    CandidateChange.CHANGED: "has changed",
    CandidateChange.REMOVED: "is gone",
    CandidateChange.ADDED: "is new",
    CandidateChange.NEWER: "is newer",
}
_MAX_NAME = 200


def both_changed(candidates: Candidates) -> str:
    """Return a sentence on something that old and new both read, with what it may be."""
    named = [one_line(_describe(candidate), 2 * _MAX_NAME) for candidate in candidates.likeliest]
    if candidates.n_more:
        named.append(f"{candidates.n_more} more")
    if named:
        return f"{BOTH}, perhaps: {'; '.join(named)}"
    if not candidates.is_known:
        return f"{BOTH}; what was around the training was not remembered"
    return (
        f"{BOTH}: no file beside the program, no variable and no setting, so perhaps a database or a service"
    )


def _describe(candidate: Candidate) -> str:
    name = one_line(candidate.name, _MAX_NAME)
    match candidate.what:
        case CandidateKind.SETTING:
            return f"{name} in the configuration"
        case CandidateKind.FACT:
            return f"{name} {candidate.old or 'none'} → {candidate.new or 'none'}"
        case CandidateKind.VARIABLE:
            how = {
                CandidateChange.CHANGED: "has another value",
                CandidateChange.REMOVED: "is not set",
                CandidateChange.ADDED: "is set",
            }
            return f"the variable {name} {how[candidate.how]}"
    if candidate.new and candidate.old:
        return f"{name} leads to {candidate.new}, not {candidate.old}"
    noun = "" if candidate.entry in (FileKind.FILE, None) else f"the {candidate.entry.value} "
    return f"{noun}{name} {_OF_FILE[candidate.how]}"
