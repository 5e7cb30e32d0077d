"""The commands, one file each, in rooms by what they work on."""
