"""The source ``jvm``: further JVMs beside the measured one, each with the agent."""
