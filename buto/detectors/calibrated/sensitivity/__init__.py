"""What an oracle detects: the smallest lasting changes, and whether more runs would make them smaller."""
