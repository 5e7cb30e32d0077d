"""Commands about this machine and its files: can it measure, what does it read, what does a file hold."""
