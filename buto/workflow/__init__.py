"""What buto does, callable without a command line."""
