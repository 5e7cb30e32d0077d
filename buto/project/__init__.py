"""The project of a user: the table of options, ``buto.yaml`` and its schema."""
