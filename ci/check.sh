#!/usr/bin/env bash
# buto check with every report; ends with the exit code of buto.
#
# BUTO_TESTS          names, with blanks between (default: all of buto.yaml)
# BUTO_CHANGED_SINCE  a revision; tests that nothing concerns which changed since then are left out
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
rm -f "$reports"/{result.json,junit.xml,comment.md} "$reports"/report*.html "$reports"/why-*.{html,md}

read -r -d '' -a tests <<<"${BUTO_TESTS:-}" || true
read -r -d '' -a more <<<"${BUTO_ARGUMENTS:-}" || true
words=(check ${tests[@]+"${tests[@]}"})
words+=(--json "$reports/result.json" --junitxml "$reports/junit.xml")
words+=(--html "$reports/report.html" --markdown "$reports/comment.md")
if [ -n "${BUTO_CHANGED_SINCE:-}" ]; then words+=("--changed-since=$BUTO_CHANGED_SINCE"); fi
if [ "${GITHUB_ACTIONS:-}" = true ]; then words+=(--github); fi

code=0
buto "${words[@]}" ${more[@]+"${more[@]}"} || code=$?

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
