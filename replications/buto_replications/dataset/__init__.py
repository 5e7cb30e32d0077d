"""The data set: recording the variants of the test programs, and three small files of their runs."""
