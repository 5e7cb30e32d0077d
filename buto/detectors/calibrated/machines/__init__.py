"""Whole tests are judged: what does not depend on the machine, and one p-value for each check."""
