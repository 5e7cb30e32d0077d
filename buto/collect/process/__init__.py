"""Start a command, follow its processes to their end, and leave none behind."""
