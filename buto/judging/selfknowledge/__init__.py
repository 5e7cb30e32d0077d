"""What a judge knows of itself: what it can detect, and how often it fails what did not change."""
