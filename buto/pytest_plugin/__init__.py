"""The pytest plugin: hooks in ``plugin``; everything else is imported when a test needs it."""
