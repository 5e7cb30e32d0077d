"""From a regression to the code: the old and the new program are launched in turns and profiled."""
