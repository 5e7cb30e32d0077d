"""How large a change must be to be found, and how often unchanged programs fail."""
