"""Call graphs and times from traces of the running system, in memory that does not grow with them."""
