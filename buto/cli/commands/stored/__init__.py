"""Commands on what is stored: runs, results, labels and oracles; they launch nothing."""
