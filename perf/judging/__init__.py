"""What judging costs: arrays against loops, the experiments, suggestions."""
