#!/usr/bin/env bash
# buto check, or buto compare for each test, with every report; ends with the worst exit code of buto.
#
# BUTO_TESTS          names, with blanks between (default: all of buto.yaml)
# BUTO_CHANGED_SINCE  a revision; tests that nothing concerns which changed since then are left out
# BUTO_BUILD          the command that builds a revision; each of BUTO_TESTS is then compared with BUTO_CHANGED_SINCE, and
#                     no oracle is needed
# BUTO_ARGUMENTS      further words for the command line
# BUTO_EXPLAIN        the command that builds a revision; the code behind a regression is then looked for by comparing
#                     BUTO_CHANGED_SINCE with HEAD
# BUTO_PYTHON         the Python for that (default: python3)
# BUTO_REPORTS        a directory for result.json, junit.xml, report.html and comment.md, and why-N.html
set -euo pipefail
# shellcheck source=venv.sh
. "$(dirname "${BASH_SOURCE[0]}")/venv.sh"
reports=${BUTO_REPORTS:-buto-reports}
mkdir -p "$reports"
# What an earlier build left must not be taken for this one's.
rm -f "$reports"/{result,report,junit,comment,why}*.{json,html,xml,md}

read -r -d '' -a tests <<<"${BUTO_TESTS:-}" || true
read -r -d '' -a more <<<"${BUTO_ARGUMENTS:-}" || true
codes=()
# Calls buto; the names of its reports end with the first word.
reported() {
  local end=$1 code=0
  shift
  local words=("$@" --json "$reports/result$end.json" --junitxml "$reports/junit$end.xml")
  words+=(--html "$reports/report$end.html" --markdown "$reports/comment$end.md")
  if [ "${GITHUB_ACTIONS:-}" = true ]; then words+=(--github); fi
  buto "${words[@]}" ${more[@]+"${more[@]}"} || code=$?
  codes+=("$code")
}

if [ -z "${BUTO_BUILD:-}" ]; then
  words=(check ${tests[@]+"${tests[@]}"})
  if [ -n "${BUTO_CHANGED_SINCE:-}" ]; then words+=("--changed-since=$BUTO_CHANGED_SINCE"); fi
  reported "" "${words[@]}"
elif [ ${#tests[@]} = 0 ] || [ -z "${BUTO_CHANGED_SINCE:-}" ]; then
  echo "buto: revisions are compared test by test; also give tests and changed-since" >&2
  codes=(2)
else
  for test in "${tests[@]}"; do
    end=$([ ${#codes[@]} = 0 ] || echo "-$((${#codes[@]} + 1))")
    reported "$end" compare "$test" --revisions "$BUTO_CHANGED_SINCE" HEAD --build "$BUTO_BUILD"
    if [ -n "$end" ] && [ -e "$reports/comment$end.md" ]; then
      cat "$reports/comment$end.md" >>"$reports/comment.md"
      rm "$reports/comment$end.md"
    fi
  done
fi
for code in 1 2 4 3 0; do [[ " ${codes[*]} " != *" $code "* ]] || break; done

if [ "$code" = 1 ] && [ -n "${BUTO_EXPLAIN:-}" ] && [ -n "${BUTO_CHANGED_SINCE:-}" ]; then
  here=$(dirname "${BASH_SOURCE[0]}")
  "${BUTO_PYTHON:-python3}" "$here/explain.py" "$reports" "$BUTO_CHANGED_SINCE" "$BUTO_EXPLAIN" ||
    echo "buto: the regression could not be explained" >&2
fi
if [ ! -e "$reports/comment.md" ]; then
  echo "⚠️ **not checked**: buto ended with exit code $code; what it printed says why." >"$reports/comment.md"
fi
if [ -n "${GITHUB_STEP_SUMMARY:-}" ]; then cat "$reports/comment.md" >>"$GITHUB_STEP_SUMMARY"; fi
if [ -n "${GITHUB_OUTPUT:-}" ]; then echo "exit-code=$code" >>"$GITHUB_OUTPUT"; fi
exit "$code"
