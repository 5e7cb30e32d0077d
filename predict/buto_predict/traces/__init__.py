"""Call graphs and times from traces of the running system, in bounded memory."""
