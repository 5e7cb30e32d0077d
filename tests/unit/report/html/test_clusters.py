import numpy as np

from buto.judging.views import ClusterView
from buto.report.html.clusters import SIDE, TOP, TREE, drawing
from buto.run.properties import Kind, Property

CPU = Property("jvm.cpu.time", "s", Kind.COUNTER)
MERGES = np.array([[0.0, 2.0, 0.1, 2.0], [1.0, 3.0, 0.5, 3.0]])


def drawn(**changed):
    known, checked = np.array([[0.0, 0.0], [0.4, 0.5]]), np.array([[0.4, 1.0]])
    own = {"names": ("cpu", "rows", "x" * 90), "n_members": 3, "merges": MERGES, "misjudged": frozenset({0})}
    own |= {"per_second": True}
    return drawing(ClusterView(CPU, **{**own, **changed}, known=known, checked=checked))


def test_branches_that_correlate_more_join_further_right():
    one = drawn()
    near, far = (float(path.split("H")[1].split("V")[0]) for path in one.paths)
    assert 0 < far < near < TREE
    assert [leaf.name[:4] for leaf in one.leaves] == ["rows", "cpu", "xxxx"]
    assert [leaf.misjudged for leaf in one.leaves] == [False, True, False]
    assert len(one.leaves[2].label) < 60


def test_points_on_the_diagonal_are_predicted_as_measured():
    one = drawn()
    (x, y), _ = one.known
    assert one.checked[0][1] == TOP
    assert y == TOP + SIDE
    assert one.ticks[2][1].endswith("s/s")
    assert not drawn(per_second=False).ticks[2][1].endswith("/s")
    assert one.known[1][0] == one.checked[0][0] > x


def test_a_caption_says_how_many_are_not_drawn():
    assert drawn(n_members=40).caption == "40 properties that rise and fall together, 3 are drawn"
    assert drawn(names=("growth of cpu", "rows", "x")).target == "growth of cpu"
    assert drawn(names=("cpu",), n_members=1, merges=np.empty((0, 4))).paths == ()
