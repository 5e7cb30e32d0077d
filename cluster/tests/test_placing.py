"""Which host a launch goes to, so that runs which are judged together can be compared."""

from __future__ import annotations

from buto.engine.launching import LaunchRequest
from buto.engine.placement import ANYWHERE, HostLabels, Placement
from buto.measure.target import Target
from buto_cluster.conversation import Placing
from cluster.tests.support.scripted import host

LARGE = {"host.cores": 16}
A, B, BIG = host("a", tags=("fast", "x86")), host("b"), host("big", **LARGE)
HOSTS = {machine.address: machine for machine in (A, B, BIG)}


def launch(where: Placement = ANYWHERE, test: str = "x") -> LaunchRequest:
    return LaunchRequest(test, Target((test,)), where=where)


def test_a_test_stays_with_the_host_of_its_first_launch_and_waits_for_it() -> None:
    placing = Placing()
    placing.bind(launch(), B)
    assert placing.choose(launch(), HOSTS, ()) == B
    assert placing.choose(launch(), HOSTS, {B.address}) is None
    assert placing.choose(launch(test="y"), HOSTS, {B.address}) in (A, BIG)


def test_another_host_of_the_same_class_takes_the_place_of_a_lost_one() -> None:
    placing = Placing()
    placing.bind(launch(), B)
    left = {A.address: A, BIG.address: BIG}
    assert placing.choose(launch(), left, ()) == A
    assert placing.choose(launch(), {BIG.address: BIG}, ()) is None


def test_a_worker_that_was_started_again_is_the_same_host() -> None:
    placing = Placing()
    placing.bind(launch(), B)
    again = host("b")
    object.__setattr__(again, "address", "tcp://b:2")
    assert placing.choose(launch(), {A.address: A, again.address: again}, ()) == again


def test_later_runs_go_to_the_class_of_the_earlier_ones_and_if_possible_to_their_host() -> None:
    earlier = Placement(required={"host.cores": 4}, host="b")
    assert Placing().choose(launch(earlier), HOSTS, ()) == B
    assert Placing().choose(launch(earlier), HOSTS, {B.address}) is None
    assert Placing().choose(launch(earlier), {A.address: A, BIG.address: BIG}, ()) == A
    assert Placing().choose(launch(earlier), {BIG.address: BIG}, ()) is None


def test_of_idle_hosts_the_one_with_the_same_java_is_taken() -> None:
    old, new = host("old", java="11.0.2"), host("new", java="17.0.15")
    like = Placement(like={"jvm.vm.version": "17.0.15+6-Debian-1"})
    hosts = {machine.address: machine for machine in (old, new)}
    assert Placing().choose(launch(like), hosts, ()) == new


def test_labels_choose_hosts() -> None:
    assert HostLabels(tags=("fast", "x86")).fit("a", "EPYC", A.tags)
    assert not HostLabels(tags=("fast", "arm")).fit("a", "EPYC", A.tags)
    assert HostLabels(cpu="EP*").fit("a", "EPYC", ())
    assert not HostLabels(cpu="Xeon*").fit("a", "EPYC", ())
    assert HostLabels(name="bench-*").fit("bench-7", "", ())
    assert not HostLabels(name="bench-*").fit("desk", "", ())
    assert Placing().choose(launch(Placement(HostLabels(tags=("fast",)))), HOSTS, ()) == A


def test_a_spread_test_goes_to_any_idle_host() -> None:
    placing = Placing()
    spread = launch(Placement(spread=True))
    placing.bind(spread, B)
    assert placing.choose(spread, HOSTS, {A.address, B.address}) == BIG
