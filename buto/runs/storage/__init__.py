"""Where the bytes of a store are: in a directory, or in a bucket of an object storage."""
