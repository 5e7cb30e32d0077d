"""Response times of requests that share stations: by closed forms if these hold, else by simulation."""
