"""The format of a stored run: ``run.json`` and the tables of samples and notifications."""
