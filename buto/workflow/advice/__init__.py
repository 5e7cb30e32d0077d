"""What a user is told beside results: warnings about runs, and next steps in the words of a door."""
