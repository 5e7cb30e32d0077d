# Where buto is installed, beside the build and not in it; sourced by the scripts here.
beside=${RUNNER_TEMP:-${CI_PROJECT_DIR:-${TMPDIR:-/tmp}/buto}.tmp}
mkdir -p "$beside"
venv=${BUTO_VENV:-$beside/buto-venv}
runtime=${BUTO_RUNTIME:-$beside/buto-runtime-${BUTO_VERSION:-}}
PATH="$venv/bin:$PATH"
if [ -n "${BUTO_VERSION:-}" ]; then PATH="$runtime/bin:$PATH"; fi
