"""Sources: numbers that are read beside the measured JVM, on the run's clock."""
