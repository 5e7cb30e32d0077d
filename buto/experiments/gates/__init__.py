"""What a gate and the number of confirming runs cost on good builds, and how many changes they find."""
