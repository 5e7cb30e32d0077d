"""Where to launch, and one launch after another."""
