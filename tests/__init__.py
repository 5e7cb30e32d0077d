"""A package, so that no other package of this name that is installed comes before it."""
