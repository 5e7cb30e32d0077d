import numpy as np

from buto.judging.views import ClusterView
from buto.report.html.clusters import SIDE, TOP, drawing
from buto.run.properties import Kind, Property

CPU = Property("jvm.cpu.time", "s", Kind.COUNTER)


def drawn(**changed):
    known, checked = np.array([[0.0, 0.0], [0.4, 0.5]]), np.array([[0.4, 1.0]])
    own = {"names": ("cpu", "rows", "x" * 90), "n_members": 3, "misjudged": frozenset({0})}
    own |= {"per_second": True}
    return drawing(ClusterView(CPU, **{**own, **changed}, known=known, checked=checked))


def test_the_target_is_named_first_and_what_is_misjudged_is_marked():
    assert [(member.name[:4], member.misjudged) for member in drawn().members] == [
        ("cpu", True),
        ("rows", False),
        ("xxxx", False),
    ]


def test_points_on_the_diagonal_are_predicted_as_measured():
    cluster = drawn()
    (x, y), _ = cluster.known
    assert cluster.checked[0][1] == TOP
    assert y == TOP + SIDE
    assert cluster.ticks[2][1].endswith("s/s")
    assert not drawn(per_second=False).ticks[2][1].endswith("/s")
    assert cluster.known[1][0] == cluster.checked[0][0] > x


def test_a_caption_says_how_many_are_not_named():
    assert drawn(n_members=40).caption == "40 properties that rise and fall together, 3 are named"
    assert drawn(names=("growth of cpu", "rows", "x")).target == "growth of cpu"
    assert len(drawn(names=("cpu",), n_members=1).members) == 1
