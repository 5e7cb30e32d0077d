"""Components of one call graph found in another."""

import time

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from buto_predict.mapping import How, map_graphs

SHOP = {
    "shop.Shop.get": {"shop.Order.place": 1.0, "shop.Cart.show": 2.0},
    "shop.Order.place": {"shop.Price.total": 2.0, "shop.Stock.take": 1.0},
    "shop.Cart.show": {"shop.Price.total": 1.0},
}


def renamed(names):
    return {
        names.get(caller, caller): {names.get(callee, callee): times for callee, times in callees.items()}
        for caller, callees in SHOP.items()
    }


def pairs(names):
    found = map_graphs(SHOP, renamed(names))
    return {pair.old: (pair.new, pair.how) for pair in found.pairs if pair.how is not How.NAME}


def test_names_come_first():
    found = map_graphs(SHOP, SHOP)
    assert {pair.how for pair in found.pairs} == {How.NAME}
    assert (len(found.pairs), found.only_old, found.only_new) == (5, (), ())


def test_a_method_that_moved_is_found_by_its_last_words():
    moved = {"shop.Price.total": "shop.pricing.Price.total"}
    assert pairs(moved) == {"shop.Price.total": ("shop.pricing.Price.total", How.MOVED)}


def test_a_renamed_component_is_found_by_its_callers_and_callees():
    assert pairs({"shop.Order.place": "shop.Order2.submit"}) == {
        "shop.Order.place": ("shop.Order2.submit", How.RENAMED)
    }


def test_neighbours_that_were_both_renamed_are_found():
    found = pairs({"shop.Order.place": "x.Y.z", "shop.Stock.take": "u.V.w"})
    assert found == {"shop.Order.place": ("x.Y.z", How.RENAMED), "shop.Stock.take": ("u.V.w", How.RENAMED)}


def test_twins_are_not_guessed():
    """Two new components with the same caller may each be the old one."""
    old = {"a": {"b": 1.0}}
    found = map_graphs(old, {"a": {"x": 1.0, "y": 1.0}})
    assert (found.only_old, set(found.only_new)) == (("b",), {"x", "y"})


def test_what_has_no_counterpart_is_listed():
    found = map_graphs({**SHOP, "t.T1.test": {}}, {**SHOP, "n.New.one": {"n.New.two": 1.0}})
    assert found.only_old == ("t.T1.test",)
    assert set(found.only_new) == {"n.New.one", "n.New.two"}


@given(st.sets(st.sampled_from(sorted(SHOP))), st.integers(0, 5))
def test_nothing_is_used_twice_and_nothing_is_lost(dropped, added):
    new = {caller: callees for caller, callees in SHOP.items() if caller not in dropped}
    new |= {f"new{number}": {"shop.Price.total": 1.0} for number in range(added)}
    found = map_graphs(SHOP, new)
    olds, news = [pair.old for pair in found.pairs], [pair.new for pair in found.pairs]
    assert len(set(olds)) == len(olds)
    assert len(set(news)) == len(news)
    everything = {name for graph in (SHOP,) for name in [*graph, *(c for cs in graph.values() for c in cs)]}
    assert set(olds) | set(found.only_old) == everything


def test_a_thousand_components_take_less_than_a_second():
    rng = np.random.default_rng(2)
    old = {f"p.C{k}.m{k}": {f"p.C{j}.m{j}": 1.0 for j in rng.integers(0, 1000, 4)} for k in range(1000)}
    names = {f"p.C{k}.m{k}": f"q.D{k}.n{k}" for k in rng.choice(1000, 20, replace=False)}
    new = {
        names.get(caller, caller): {names.get(callee, callee): 1.0 for callee in callees}
        for caller, callees in old.items()
    }
    began = time.process_time()
    found = map_graphs(old, new)
    assert time.process_time() - began < 1
    assert sum(names.get(pair.old) == pair.new for pair in found.pairs) >= 18
