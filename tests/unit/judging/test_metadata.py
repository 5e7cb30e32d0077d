import pytest

from buto.errors import JudgeError
from buto.judging.classifiers import DifferenceKind, MetadataSettings, compare_metadata, learn_metadata

STRICT = MetadataSettings(ignored=("jvm.uptime", "process.*"), deciding=("*",))
SOME = MetadataSettings(ignored=("jvm.uptime",), deciding=("jvm.vm.*", "host.cores"))


def kinds(differences):
    return {difference.key: difference.kind for difference in differences}


def test_equal_runs_have_no_difference():
    run = {"host.cores": 2, "jvm.vm.version": "17"}
    assert compare_metadata(learn_metadata([run, dict(run)], STRICT), run, STRICT) == ()


def test_missing_different_and_extra_items():
    model = learn_metadata([{"a": 1, "b": "x", "c": None}], STRICT)
    differences = compare_metadata(model, {"b": "y", "c": None, "d": 4}, STRICT)
    assert kinds(differences) == {
        "a": DifferenceKind.MISSING,
        "b": DifferenceKind.DIFFERENT,
        "d": DifferenceKind.EXTRA,
    }
    assert [difference.describe() for difference in differences] == [
        "a is missing; it was 1 in training",
        "b is 'y'; it was 'x' in training",
        "d is 4; training had none",
    ]


def test_an_item_without_value_is_not_a_missing_item():
    model = learn_metadata([{"quota": None}], STRICT)
    assert kinds(compare_metadata(model, {}, STRICT)) == {"quota": DifferenceKind.MISSING}


def test_ignored_keys_are_never_looked_at():
    model = learn_metadata([{"jvm.uptime": 1, "process.pid": 3}, {"jvm.uptime": 2}], STRICT)
    assert model.values == {}
    assert compare_metadata(model, {"jvm.uptime": 9, "process.pid": 4}, STRICT) == ()


@pytest.mark.parametrize("other", [{"jvm.vm.version": "25"}, {}])
def test_training_runs_of_different_environments_are_refused(other):
    with pytest.raises(JudgeError, match=r"jvm\.vm\.version is '17' or ('25'|missing)") as caught:
        learn_metadata([{"jvm.vm.version": "17"}, other], SOME)
    assert caught.value.advice is not None


def test_keys_that_do_not_decide_may_vary_in_training():
    model = learn_metadata([{"path": "a", "host.cores": 2}, {"path": "b", "host.cores": 2}], SOME)
    assert model.values == {"host.cores": 2}
    assert model.varying == ("path",)
    assert compare_metadata(model, {"path": "c", "host.cores": 2}, SOME) == ()


def test_a_difference_says_whether_it_decides():
    model = learn_metadata([{"path": "a", "host.cores": 2}], SOME)
    differences = compare_metadata(model, {"path": "b", "host.cores": 4}, SOME)
    assert {difference.key: difference.deciding for difference in differences} == {
        "path": False,
        "host.cores": True,
    }


def test_a_key_that_is_ignored_and_deciding_is_ignored():
    assert not MetadataSettings(ignored=("a",), deciding=("*",)).is_deciding("a")


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_nan_equals_itself(value):
    model = learn_metadata([{"load": value}, {"load": value}], STRICT)
    assert compare_metadata(model, {"load": value}, STRICT) == ()


def test_long_values_are_cut_in_messages():
    model = learn_metadata([{"path": "x" * 500}], STRICT)
    (difference,) = compare_metadata(model, {"path": "y" * 500}, STRICT)
    assert len(difference.describe()) < 250


def test_of_the_class_path_only_names_count_so_that_a_project_may_lie_anywhere():
    def run(class_path):
        return {"jvm.class.path": class_path}

    model = learn_metadata([run("/home/ann/shop/target/classes:/home/ann/.m2/json-1.jar")], STRICT)
    assert model.values == run("classes:json-1.jar")
    assert compare_metadata(model, run("target/classes:/builds/7/json-1.jar"), STRICT) == ()
    (other,) = compare_metadata(model, run("target/classes:/builds/7/json-2.jar"), STRICT)
    assert (other.expected, other.observed) == ("classes:json-1.jar", "classes:json-2.jar")


def test_the_order_of_the_training_runs_does_not_matter():
    first, other = {"a": 1, "b": 2}, {"a": 1, "c": 3}
    assert learn_metadata([first, other], SOME) == learn_metadata([other, first], SOME)
