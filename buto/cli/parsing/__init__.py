"""From words of the command line to requests."""
