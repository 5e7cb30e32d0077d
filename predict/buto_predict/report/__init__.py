"""What a model of an architecture predicts, for people and for programs."""
