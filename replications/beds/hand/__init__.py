"""Programs by another hand: their author did not know buto, and wrote down what is true before it ran."""
