"""The small store as it was recorded: what was predicted of its versions, beside what was measured."""
