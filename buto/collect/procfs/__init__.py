"""What Linux counts of a process, read from /proc without any help of the process."""
