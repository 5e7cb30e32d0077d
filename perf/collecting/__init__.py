"""What measuring costs the program and its machine: launches, samples, load and sources."""
