"""Find, choose and inspect Java virtual machines."""
