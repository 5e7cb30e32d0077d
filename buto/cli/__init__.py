"""The command line: one command a file, one place that prints, one place that exits."""
