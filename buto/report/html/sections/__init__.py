"""The sections of a page below its charts: output, runs, environment, overhead, classes."""
