"""``python -m buto``."""

from buto.cli.main import entry

if __name__ == "__main__":
    entry()
