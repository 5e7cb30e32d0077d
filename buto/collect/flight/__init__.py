"""Launch a program under Flight Recorder and read what it recorded: a profile, which is never a run."""
