"""What measuring costs: benchmarks that compare side by side in one run and print ratios with spread."""
