"""``buto predict`` and ``buto architecture`` on files and under loads, as the manual shows them, packed.

With the environment variable BUTO_WRITE_GOLDEN the manual's output is written again; read it.
"""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from configparser import ConfigParser
from zipfile import ZipFile

import jsonschema
import pytest

from buto.errors import UsageError
from buto.version import __version__
from buto_predict.commands.options import endpoint_named, under_load
from buto_predict.config import load_architecture
from predict.tests.support.systems import result, two_endpoints
from predict.tests.support.traces import request, span, write_otlp
from tests.support.checkout import ROOT
from tests.support.processes.command import called

MODEL = """\
version: 1
name: example
stations: {a: , b: }
components:
  A1: {station: a, self: 17.1ms}
  B1: {station: b, self: 4ms, calls: {B3: 2, B4: 1}}
  B2: {station: b, self: 6ms, calls: {B4: 1}}
  B3: {station: b, self: 2ms}
  B4: {station: b, self: 2ms}
endpoints:
  GET /b: {load: 23.3/s, calls: {A1: 1, B1: 1, B2: 1}}
"""


def write_jmh(path, times, *, noise=0.01, names=("B3", "B4")):
    entries = []
    for seed, name in enumerate(names):
        forks = result(name, 2.0 * times, n=6, noise=noise, seed=seed + round(100 * times)).times_s.tolist()
        metric = {"score": 1.0, "scoreUnit": "ms/op", "rawData": [[fork] for fork in forks]}
        entries.append({"benchmark": f"com.acme.{name}Bench.run", "mode": "avgt", "primaryMetric": metric})
    path.write_text(json.dumps(entries))


@pytest.fixture
def place(tmp_path):
    (tmp_path / "architecture.yaml").write_text(MODEL)
    (tmp_path / "d.yaml").write_text(MODEL.replace("b: }", "b: {servers: 2}}"))
    for name, times in (("old", 1.0), ("same", 1.001), ("slow", 2.0)):
        write_jmh(tmp_path / f"{name}.json", times)
    (tmp_path / "empty.json").write_text("[]")
    return tmp_path


@pytest.mark.slow
def test_a_regression_ends_with_1_and_writes_every_report(place):
    reports = ["--html", "p.html", "--json", "p.json", "--junitxml", "p.xml"]
    done = called(place, "predict", "--old", "old.json", "--new", "slow.json", *reports)
    assert done.returncode == 1, done.stderr
    assert done.stdout.startswith("REGRESSION  example under 23.3/s")
    assert json.loads((place / "p.json").read_text())["status"] == "regression"
    assert "<failure" in (place / "p.xml").read_text()
    assert "<svg" in (place / "p.html").read_text()


@pytest.mark.slow
def test_no_change_ends_with_0_and_a_lower_load_bears_more(place):
    assert called(place, "predict", "--old", "old.json", "--new", "same.json").returncode == 0
    low = called(place, "predict", "--old", "old.json", "--new", "slow.json", "--load", "1/s")
    high = called(place, "predict", "--old", "old.json", "--new", "slow.json", "--load", "GET /b=40/s")
    assert "under 1/s" in low.stdout
    assert high.returncode == 1
    assert "saturated" in high.stdout


def test_json_may_go_to_standard_output(place):
    grid = ["--load-grid", "10..50:5", "--json", "-"]
    done = called(place, "predict", "--old", "old.json", "--new", "same.json", *grid)
    data = json.loads(done.stdout)
    assert [point["load"] for point in data["curve"]] == [10, 20, 30, 40, 50]
    assert done.stderr.startswith("PASS")


def test_a_benchmark_that_is_lost_is_no_pass_and_files_count_once(place):
    same = called(place, "predict", "--old", "old.json", "--new", "old.json")
    assert same.returncode == 3
    assert "old and new are the same results, so nothing new was measured" in same.stdout
    write_jmh(place / "half.json", 1.0, names=("B3",))
    done = called(place, "predict", "--old", "old.json", "old.json", "--new", "half.json", "--json", "-")
    data = json.loads(done.stdout)
    assert (done.returncode, data["status"]) == (3, "inconclusive")
    assert data["reasons"][0].startswith("com.acme.B4Bench.run has old results but no new ones")
    assert data["warnings"][0] == "old results that are given several times count once: old.json"
    assert [test["deviation"]["n_old"] for test in data["tests"]] == [6, 6]


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["--old", "old.json", "--new", "none.json"], 4, "none.json"),
        (["--old", "old.json", "--new", "architecture.yaml"], 4, "must be JSON of JMH"),
        (["--old", "old.json", "--new", "empty.json"], 4, "empty.json has no results"),
        (["--old", "empty.json", "--new", "empty.json"], 4, "empty.json has no results"),
        (
            ["--old", "old.json", "--new", "same.json", "--load", "POST /orders=5/s"],
            2,
            "no endpoint 'POST /orders'; known are GET /b",
        ),
        (
            ["--old", "old.json", "--new", "same.json", "--load", "GET /d=5/s"],
            2,
            "no endpoint 'GET /d'; did you mean 'GET /b'?",
        ),
        (["--old", "old.json", "--new", "same.json", "--load=-5/s"], 2, "a load must be above 0, got '-5/s'"),
        (["--old", "old.json", "--new", "same.json", "--load", "fast"], 2, "a rate must be per"),
        (["--old", "old.json", "--new", "same.json", "--load-grid", "5..1"], 2, "must be a list of loads"),
        (["--old", "old.json", "--new", "same.json", "--load", "0"], 3, "no requests arrive"),
        (["--model", "none.yaml", "--old", "old.json", "--new", "same.json"], 4, "none.yaml"),
        (
            ["--model", "none.yaml", "--old", "old.json", "--new", "same.json"],
            4,
            "try:  buto architecture learn traces.json, or --model FILE",
        ),
        (
            ["--old", "old.json", "--new", "same.json", "--new-model", "d.yaml"],
            2,
            "station b has 1 server in the model and 2 in d.yaml",
        ),
    ],
)
def test_what_cannot_be_done_is_reported(place, words, code, message):
    done = called(place, "predict", *words)
    assert (done.returncode, message in done.stderr) == (code, True), done.stderr


def test_a_model_is_learned_checked_and_shown(tmp_path):
    write_otlp(
        tmp_path / "t.json",
        [[recorded_span for k in range(40) for recorded_span in request(f"t{k}", k / 20)]],
    )
    learned = called(tmp_path, "architecture", "learn", "t.json", "--servers", "web=2", "--name", "shop")
    assert learned.returncode == 0, learned.stderr
    assert learned.stdout == "wrote architecture.yaml: 4 components, 1 endpoint, 2 stations\n"
    assert learned.stderr.startswith("40 complete traces in")
    assert "no utilisation of db, web: their times include waiting" in learned.stderr
    shown = called(tmp_path, "architecture", "show", "--html", "a.html")
    assert shown.stdout.startswith("shop: saturates at")
    assert "<svg" in (tmp_path / "a.html").read_text()
    checked = called(tmp_path, "architecture", "check", "t.json", "--utilisation", "web=0.08")
    assert checked.returncode == 0, checked.stdout
    assert "web/GET" in checked.stdout
    assert "warning" not in checked.stderr
    further = "  GET /new: {calls: {web/GET: 1}}\n"
    (tmp_path / "more.yaml").write_text((tmp_path / "architecture.yaml").read_text() + further)
    options = ["--model", "more.yaml", "--utilisation", "web=0.08"]
    more = called(tmp_path, "architecture", "check", "t.json", *options)
    assert more.returncode == 0, more.stderr
    assert "the traces have no requests to GET /new, so that is not checked" in more.stderr
    failed = called(tmp_path, "architecture", "check", "t.json", "--utilisation", "web=0.5")
    assert failed.returncode == 3
    assert "the largest error is 84 %, more than 20 %" in failed.stderr


def test_a_model_is_overwritten_only_if_that_is_wanted(place):
    write_otlp(
        place / "t.json", [[recorded_span for k in range(40) for recorded_span in request(f"t{k}", k / 20)]]
    )
    refused = called(place, "architecture", "learn", "t.json")
    assert refused.returncode == 2
    assert refused.stderr == (
        "buto: architecture.yaml exists\ntry:  name another file by -o, or overwrite it with --force\n"
    )
    assert (place / "architecture.yaml").read_text() == MODEL
    assert called(place, "architecture", "learn", "t.json", "-o", "-").returncode == 0
    assert called(place, "architecture", "learn", "t.json", "-o", "other.yaml").returncode == 0
    assert called(place, "architecture", "learn", "t.json", "--force").returncode == 0
    assert (place / "architecture.yaml").read_bytes() == (place / "other.yaml").read_bytes()


def test_traces_of_another_system_are_not_checked(place):
    write_otlp(place / "foreign.jsonl", [request("t", 0.0), request("u", 1.0)])
    done = called(place, "architecture", "check", "foreign.jsonl")
    assert done.returncode == 2
    message = "foreign.jsonl has requests to web/GET, which architecture.yaml lacks; is it another system or"
    assert message in done.stderr


def test_a_share_may_be_in_percent(tmp_path):
    write_otlp(
        tmp_path / "t.json",
        [[recorded_span for k in range(40) for recorded_span in request(f"t{k}", k / 20)]],
    )
    for share in ("0.38", "38%"):
        learn = ["architecture", "learn", "t.json", "-o", f"{share}.yaml", "--name", "shop"]
        assert called(tmp_path, *learn, "--utilisation", f"web={share}").returncode == 0
    assert (tmp_path / "38%.yaml").read_text() == (tmp_path / "0.38.yaml").read_text()


def test_what_makes_predictions_wrong_is_warned_of_and_the_hint_helps(tmp_path):
    """On one server that is busy for 72 % of the time, waiting that counts twice doubles times."""
    write_otlp(
        tmp_path / "t.json",
        [[recorded_span for k in range(40) for recorded_span in request(f"t{k}", k / 90)]],
    )
    known = ["architecture", "learn", "t.json", "--utilisation", "db=0.0018"]
    learned = called(tmp_path, *known)
    assert learned.returncode == 0
    waiting, misfit = learned.stderr.splitlines()[-2:]
    assert waiting.startswith("warning: no utilisation of web: its times include waiting; give it, as --util")
    assert misfit.startswith("warning: web/GET: the model predicts ")
    assert misfit.endswith(" ms, its traces have 10 ms, because times include waiting")
    hint = waiting.partition(", as ")[2].split()
    assert "warning" not in called(tmp_path, *known, *hint, "--force").stderr


def test_a_model_with_which_nothing_can_be_predicted_is_warned_of(tmp_path):
    write_otlp(tmp_path / "t.json", [[span("GET", k, k, id="1", trace=f"t{k}") for k in range(1, 9)]])
    learned = called(tmp_path, "architecture", "learn", "t.json")
    assert learned.returncode == 0
    assert "warning: nothing can be predicted with this model: the endpoint 'web/GET' has no demand" in (
        learned.stderr
    )


@pytest.mark.parametrize("share", ["2.3", "-0.1", "nan"])
def test_a_utilisation_that_no_station_can_have_is_wrong_usage(tmp_path, share):
    write_otlp(tmp_path / "t.json", [request("t", 0.0), request("u", 1.0)])
    done = called(tmp_path, "architecture", "learn", "t.json", "--utilisation", f"web={share}")
    assert done.returncode == 2
    assert f"the utilisation of web must be between 0 and 1, got {share}" in done.stderr


@pytest.mark.parametrize(
    ("option", "word", "form"),
    [
        ("--servers", "web", "STATION=N such as web=4"),
        ("--servers", "web=", "STATION=N such as web=4"),
        ("--servers", "web=0", "STATION=N such as web=4"),
        ("--servers", "=2", "STATION=N such as web=4"),
        ("--utilisation", "web=half", "STATION=SHARE such as web=0.35"),
        ("--share", "cores=web,,db", "STATION=STATION,... such as cores=web,db"),
    ],
)
def test_a_text_that_is_not_a_pair_is_wrong_usage(tmp_path, option, word, form):
    done = called(tmp_path, "architecture", "learn", "t.json", option, word)
    assert done.returncode == 2
    assert f"must be {form}, got {word!r}" in done.stderr


KNOWN = ("gateway/POST /api/quotes", "gateway/GET /health", "quotes/GET /health", "GET /items")


@pytest.mark.parametrize(
    ("text", "name"), [("POST /api/quotes", KNOWN[0]), (KNOWN[1], KNOWN[1]), ("GET /items", KNOWN[3])]
)
def test_the_service_of_an_endpoint_may_be_left_out(text, name):
    assert endpoint_named(text, KNOWN) == name


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("POST /api/quote", "no endpoint 'POST /api/quote'; did you mean 'gateway/POST /api/quotes'?"),
        (
            "GET /health",
            "no endpoint 'GET /health'; did you mean 'gateway/GET /health' or 'quotes/GET /health'?",
        ),
        ("items", "no endpoint 'items'; did you mean 'GET /items'?"),
        ("", f"no endpoint ''; known are {', '.join(KNOWN)}"),
    ],
)
def test_a_name_that_is_not_one_endpoint_is_refused(text, message):
    with pytest.raises(UsageError) as refused:
        endpoint_named(text, KNOWN)
    assert refused.value.message == message


def test_the_total_is_applied_before_single_loads():
    made = two_endpoints(rates=(10.0, 30.0))
    assert under_load(made, ["first=5/s", "80/s"]).rates.tolist() == [5.0, 60.0]


GOLDEN = ROOT / "predict" / "tests" / "golden"
PAGE = ROOT / "predict" / "docs" / "architecture.md"
FORMAT = ROOT / "predict" / "docs" / "format.md"
EXAMPLE = ROOT / "examples" / "architecture"
BLOCK = re.compile(r"^(```text made by: buto ([^\n]*)\n)(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.mark.slow
def test_the_page_shows_what_is_printed(tmp_path):
    shutil.copytree(EXAMPLE, tmp_path, dirs_exist_ok=True)
    text = PAGE.read_text()
    (block,) = BLOCK.finditer(text)
    printed = called(tmp_path, *shlex.split(block[2])).stdout
    if os.environ.get("BUTO_WRITE_GOLDEN"):
        PAGE.write_text(text.replace(block[0], f"{block[1]}{printed}```"))
        return
    assert block[3] == printed, "read it, then: BUTO_WRITE_GOLDEN=1 pytest predict/tests/test_commands.py"


def test_the_model_on_the_page_of_the_format_is_one(tmp_path):
    (model,) = re.findall(r"^```yaml\n(.*?)^```$", FORMAT.read_text(), re.MULTILINE | re.DOTALL)
    path = tmp_path / "architecture.yaml"
    path.write_text(model)
    made = load_architecture(path)
    assert [component.name for component in made.components] == ["Shop.order", "Price.total", "Audit.write"]
    assert called(tmp_path, "architecture", "show").returncode == 0


@pytest.mark.parametrize("command", [path.stem for path in sorted(GOLDEN.glob("*.txt"))])
def test_help_is_as_it_was_read(tmp_path, monkeypatch, command):
    monkeypatch.setenv("COLUMNS", "100")
    done = called(tmp_path, command, "--help")
    assert (done.returncode, done.stdout) == (0, (GOLDEN / f"{command}.txt").read_text())


@pytest.mark.parametrize("name", ["architecture", "prediction"])
def test_a_schema_is_printed_and_is_one(tmp_path, name):
    done = called(tmp_path, "schema", name)
    assert (done.returncode, done.stderr) == (0, "")
    jsonschema.Draft7Validator.check_schema(json.loads(done.stdout))


PROJECT = ROOT / "predict"
BUILD_S = 120.0


def test_the_wheel_has_all_that_its_commands_read(tmp_path):
    command = [sys.executable, "-m", "build", "--no-isolation", "--wheel", "--outdir", tmp_path, PROJECT]
    subprocess.run(command, check=True, capture_output=True, timeout=BUILD_S)
    (wheel,) = tmp_path.glob("*.whl")
    with ZipFile(wheel) as archive:
        names = set(archive.namelist())
        (text,) = (archive.read(name).decode() for name in names if name.endswith("/entry_points.txt"))
    entries = ConfigParser()
    entries.read_string(text)
    assert sorted(entries["buto.commands"]) == ["architecture", "predict"]
    assert sorted(entries["buto.schemas"]) == ["architecture", "prediction"]
    package = PROJECT / "buto_predict"
    wanted = (path for path in package.rglob("*") if path.is_file() and path.suffix != ".pyc")
    assert {path.relative_to(PROJECT).as_posix() for path in wanted} <= names


def test_it_is_released_together_with_buto():
    assert tomllib.loads((PROJECT / "pyproject.toml").read_text())["project"]["version"] == __version__
