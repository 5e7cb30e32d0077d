"""What a worker does on its host: carries out launches, and keeps the files of programs."""
