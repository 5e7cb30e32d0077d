"""The pytest plugin: hooks in ``plugin``; all else is imported when a test asks for it."""
