"""The format of the agent's channel: messages, frames, and what they add to a recording."""
