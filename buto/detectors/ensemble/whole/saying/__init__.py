"""What is said of a whole test: findings, notices, the explanation, and what can be drawn."""
