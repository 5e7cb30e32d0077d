"""Response times of requests that share stations: closed forms where they hold, else a simulation."""
