#!/usr/bin/env bash
# Provides the command buto: the runtime of a release, or else the one in PATH, or else a new one from the sources that
# this file belongs to.
#
# BUTO_VERSION  a release, whose runtime is fetched unless it is there
# BUTO_RUNTIMES where runtimes are, and their archives are from (default: the releases' page)
# BUTO_RUNTIME  where the runtime is unpacked (default: see venv.sh)
# BUTO_PYTHON   the Python to install into a virtual environment of (default: python3)
# BUTO_VENV     where that is made (default: see venv.sh)
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
python=${BUTO_PYTHON:-python3}
# shellcheck source=venv.sh
. "$here/venv.sh"

fail() {
  if [ "${GITHUB_ACTIONS:-}" = true ]; then echo "::error title=buto::$1"; fi
  echo "buto: $1" >&2
  echo "try:  $2" >&2
  exit 2
}

if [ -n "${BUTO_VERSION:-}" ] && [ ! -x "$runtime/bin/buto" ]; then
  from=${BUTO_RUNTIMES:-https://github.com/buto-jvm/buto/releases/download/v$BUTO_VERSION}
  archive=buto-runtime-$BUTO_VERSION-linux-$(uname -m).tar.gz
  mkdir -p "$(dirname "$runtime")"
  part=$(mktemp -d "$(dirname "$runtime")/buto-part-XXXXXX")
  trap 'rm -rf "$part"' EXIT
  if ! curl --fail --silent --show-error --location --output "$part/$archive" "$from/$archive" ||
    ! curl --fail --silent --show-error --location --output "$part/SHA256SUMS" "$from/SHA256SUMS"; then
    fail "$from/$archive cannot be fetched" "look whether buto has such a release; or leave the version out, which installs buto from its sources"
  fi
  if ! (cd "$part" && grep -F "  $archive" SHA256SUMS | sha256sum --check --quiet -); then
    fail "$archive is not what SHA256SUMS says" "run the job again; if it fails again, do not use it"
  fi
  mkdir "$part/unpacked"
  tar -xzf "$part/$archive" -C "$part/unpacked" --strip-components=1
  mv "$part/unpacked" "$runtime"
fi
if [ -n "${BUTO_VERSION:-}" ]; then
  python=$(ls "$runtime"/python/bin/python3.*)
  if [ -n "${GITHUB_PATH:-}" ]; then echo "$runtime/bin" >>"$GITHUB_PATH"; fi
elif ! command -v buto >/dev/null; then
  "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null ||
    fail "$python is no Python 3.11 or newer" "actions/setup-python on GitHub, an image with python3 on GitLab; or name another with BUTO_PYTHON"
  "$python" -c 'import ensurepip, venv' 2>/dev/null ||
    fail "$python has no module venv" "apt-get install python3-venv"
  command -v javac >/dev/null || [ -x "${JAVA_HOME:-}/bin/javac" ] ||
    fail "there is no Java compiler" "actions/setup-java on GitHub, an image with a JDK on GitLab"
  "$python" -m venv --clear "$venv"
  "$venv/bin/python" -m pip install --quiet --disable-pip-version-check "$here/.."
  if [ -n "${GITHUB_PATH:-}" ]; then echo "$venv/bin" >>"$GITHUB_PATH"; fi
fi
if [ -n "${GITHUB_OUTPUT:-}" ]; then echo "python=$python" >>"$GITHUB_OUTPUT"; fi
buto --version
