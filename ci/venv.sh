# Where buto is installed, beside the build and not in it; sourced by the scripts here.
venv=${BUTO_VENV:-${RUNNER_TEMP:-${CI_PROJECT_DIR:-${TMPDIR:-/tmp}/buto}.tmp}/buto-venv}
PATH="$venv/bin:$PATH"
