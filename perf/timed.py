"""Run a command and say when it had ended, by the monotonic clock that System.nanoTime reads too."""

import os
import subprocess
import sys
import time


def main() -> int:
    process = subprocess.Popen(sys.argv[1:])
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    print("exited", time.monotonic_ns(), flush=True)
    return process.wait()


if __name__ == "__main__":
    sys.exit(main())
