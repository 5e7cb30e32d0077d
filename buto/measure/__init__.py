"""Launch a program or attach to one, record what it uses, and return a finished run."""
