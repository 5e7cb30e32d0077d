#!/usr/bin/env bash
# Provides the command buto: the one in PATH, else a new one from the sources that this file belongs to.
#
# BUTO_PYTHON  the Python to install into a virtual environment of (default: python3)
# BUTO_VENV    where that is made (default: see venv.sh)
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
python=${BUTO_PYTHON:-python3}

fail() {
  if [ "${GITHUB_ACTIONS:-}" = true ]; then echo "::error title=buto::$1"; fi
  echo "buto: $1" >&2
  echo "try:  $2" >&2
  exit 2
}

if ! command -v buto >/dev/null; then
  "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null ||
    fail "$python is no Python 3.11 or newer" "actions/setup-python on GitHub, an image with python3 on GitLab; or name another with BUTO_PYTHON"
  "$python" -c 'import ensurepip, venv' 2>/dev/null ||
    fail "$python has no module venv" "apt-get install python3-venv"
  command -v javac >/dev/null || [ -x "${JAVA_HOME:-}/bin/javac" ] ||
    fail "there is no Java compiler" "actions/setup-java on GitHub, an image with a JDK on GitLab"
  # shellcheck source=venv.sh
  . "$here/venv.sh"
  "$python" -m venv --clear "$venv"
  "$venv/bin/python" -m pip install --quiet --disable-pip-version-check "$here/.."
  if [ -n "${GITHUB_PATH:-}" ]; then echo "$venv/bin" >>"$GITHUB_PATH"; fi
fi
buto --version
