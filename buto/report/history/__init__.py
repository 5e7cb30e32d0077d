"""How the checks of one test went over time."""
