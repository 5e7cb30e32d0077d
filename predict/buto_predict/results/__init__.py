"""Results of component tests: times of replicates by the test's name, from the files of several tools."""
