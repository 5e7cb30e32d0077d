"""The paper's case studies on recorded runs of a real system in unlike environments."""
