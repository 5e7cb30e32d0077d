"""From deviations of components to regressions of the whole system, through a model of its architecture."""
