"""Which files are read as results, and which are refused."""

import gzip
import json

import pytest

from buto.errors import BadFileError
from buto_predict.listing import listed
from buto_predict.results.files import Repeated, read_results, repeated

SAME = ("old and new are the same results, so nothing new was measured",)


def report(path, time="0.5", inside=""):
    path.parent.mkdir(exist_ok=True)
    path.write_text(f'<testsuite><testcase name="a" time="{time}">{inside}</testcase></testsuite>')
    return path


def replicates(*paths):
    (found,) = read_results(paths)
    return len(found.times_s)


def test_a_file_counts_once_however_often_it_is_given(tmp_path):
    first, copy, other = (report(tmp_path / f"{name}.xml") for name in ("one", "copy", "other"))
    report(other, "0.6")
    (tmp_path / "link.xml").symlink_to(first)
    again = (first, tmp_path / ".." / tmp_path.name / "one.xml", tmp_path / "link.xml", copy, other)
    assert replicates(*again) == 2
    (warning,) = repeated(again, [report(tmp_path / "new.xml", "0.7")]).warnings
    assert warning.startswith("old results that are given several times count once: ")
    assert warning.endswith(f"{tmp_path / 'link.xml'} and {copy}")


def test_equal_sides_are_named(tmp_path):
    first, copy, other = (report(tmp_path / f"{name}.xml") for name in ("one", "copy", "other"))
    report(other, "0.6")
    assert repeated([first], [copy]).reasons == SAME
    assert repeated([first], [copy, other]).reasons == (f"old results are among the new ones, too: {copy}",)
    assert repeated([first], [other]) == Repeated((), ())


def test_a_directory_stands_for_its_files(tmp_path):
    for number in (1, 2):
        report(tmp_path / "reports" / f"TEST-{number}.xml", f"0.{number}")
    (tmp_path / "reports" / "notes.txt").write_text("words")
    assert replicates(tmp_path / "reports") == 2
    assert repeated([tmp_path / "reports"], [tmp_path / "reports"]).reasons == SAME


def test_a_directory_of_files_below_one_called_runs_is_no_store(tmp_path):
    (tmp_path / "runs").mkdir()
    report(tmp_path / "runs" / "old" / "TEST-1.xml")
    assert replicates(tmp_path / "runs" / "old") == 1


def test_a_directory_without_results_names_what_to_give(tmp_path):
    with pytest.raises(BadFileError, match=r"has no \*\.json or \*\.xml") as raised:
        read_results([tmp_path])
    assert (
        raised.value.advice == f"name the files, such as {tmp_path}/*/*.xml, or runs, such as .buto/runs/NAME"
    )


def test_what_cannot_be_read_is_a_bad_file(tmp_path):
    (tmp_path / "loop.xml").symlink_to(tmp_path / "loop.xml")
    with pytest.raises(BadFileError, match=r"cannot read the results .*loop\.xml"):
        read_results([tmp_path / "loop.xml", tmp_path / "missing.xml"])


def test_a_quoted_star_is_explained(tmp_path):
    with pytest.raises(BadFileError, match="it is missing") as raised:
        read_results([tmp_path / "*.xml"])
    assert raised.value.advice == "the shell expands * only outside of quotes, and only if files match"


def test_a_compressed_file_is_refused_as_such(tmp_path):
    path = tmp_path / "old.json.gz"
    path.write_bytes(gzip.compress(b"[]"))
    with pytest.raises(BadFileError, match=r"old\.json\.gz is compressed; decompress it first") as raised:
        read_results([path])
    assert raised.value.advice == f"gunzip --keep {path}"


@pytest.mark.parametrize("content", [{"a": 1}, {"resourceSpans": []}, {"format": "buto-prediction"}])
def test_other_json_is_refused(tmp_path, content):
    path = tmp_path / "other.json"
    path.write_text(json.dumps(content))
    with pytest.raises(
        BadFileError, match="must be JSON of JMH or traces, and has neither benchmarks nor spans"
    ):
        read_results([path])


def test_reports_of_which_every_test_was_skipped_are_refused(tmp_path):
    path = report(tmp_path / "skipped.xml", inside="<skipped/>")
    with pytest.raises(BadFileError, match=r"skipped\.xml must have results, got none"):
        read_results([path])
    assert replicates(path, report(tmp_path / "passed.xml")) == 1


def test_a_message_names_three_at_most():
    assert [listed("abcde"[:count]) for count in (1, 2, 3, 5)] == [
        "a",
        "a and b",
        "a, b and c",
        "a, b, c and 2 more",
    ]
