"""Labels of runs: those that a person gives, and those that follow from what commands find."""
