#!/usr/bin/env bash
# buto check, or buto compare for each test, with every report; ends with the worst exit code of buto.
#
# BUTO_TESTS          names, with blanks between (default: all of buto.yaml)
# BUTO_CHANGED_SINCE  a revision; tests that nothing concerns which changed since then are left out
# BUTO_BUILD          the command that builds a revision; each of BUTO_TESTS is then compared with BUTO_CHANGED_SINCE, and
#                     no oracle is needed
# BUTO_RELEASE        the name of a release, most often its tag: the sum since the one before is judged, and the release is
#                     named if that passes
# BUTO_HISTORY        a file for the page of what changed, when, and by whom (buto history --html); none without a name
# BUTO_ARGUMENTS      further words for the command line
# BUTO_EXPLAIN        the command that builds a revision; the code behind a regression is then looked for by comparing
#                     BUTO_CHANGED_SINCE with HEAD
# BUTO_PYTHON         the Python for that (default: python3)
# BUTO_REPORTS        a directory for result.json, junit.xml, report.html and comment.md, and why-N.html
set -euo pipefail
# shellcheck source=venv.sh
. "$(dirname "${BASH_SOURCE[0]}")/venv.sh"
reports=${BUTO_REPORTS:-buto-reports}
# What an earlier build left must not be taken for this one's. The exit code 1 would say that there is a regression.
if ! mkdir -p "$reports" || ! rm -f "$reports"/{result,report,junit,comment,why}*.{json,html,xml,md}; then
  echo "buto: the directory $reports cannot be written; name another one" >&2
  exit 3
fi

read -r -d '' -a tests <<<"${BUTO_TESTS:-}" || true
read -r -d '' -a more <<<"${BUTO_ARGUMENTS:-}" || true
# How bad an exit code is; one that is not buto's own, as of a buto that was killed, is never a pass.
badness() {
  case $1 in 0) echo 0 ;; 3) echo 1 ;; 4) echo 2 ;; 2) echo 3 ;; 1) echo 5 ;; *) echo 4 ;; esac
}

code=0
# Calls buto, and keeps its exit code if it is the worst so far; the names of its reports end with the first word.
reported() {
  local end=$1 ended=0 what
  shift
  what="buto $1$([ "$1" != compare ] || echo " $2")"
  local words=("$@" --json "$reports/result$end.json" --junitxml "$reports/junit$end.xml")
  words+=(--html "$reports/report$end.html" --markdown "$reports/comment$end.md")
  if [ "${GITHUB_ACTIONS:-}" = true ]; then words+=(--github); fi
  buto "${words[@]}" ${more[@]+"${more[@]}"} || ended=$?
  if [ ! -e "$reports/comment$end.md" ]; then
    echo "⚠️ **not checked**: $what ended with exit code $ended; what it printed says why." >"$reports/comment$end.md"
  fi
  if [ "$(badness "$ended")" -gt "$(badness "$code")" ]; then code=$ended; fi
}

if [ -n "${BUTO_RELEASE:-}" ]; then
  reported "" check ${tests[@]+"${tests[@]}"} --release
  if [ "$code" = 0 ]; then
    places=()
    for ((number = 0; number < ${#more[@]}; number++)); do
      case ${more[number]} in
        --config | --store | --oracle) places+=("${more[number]}" "${more[number + 1]:-}") ;;
        --config=* | --store=* | --oracle=*) places+=("${more[number]}") ;;
      esac
    done
    if ! buto release ${tests[@]+"${tests[@]}"} "$BUTO_RELEASE" ${places[@]+"${places[@]}"}; then
      echo "buto: the release could not be named" >&2
      code=3
    fi
  fi
elif [ -z "${BUTO_BUILD:-}" ]; then
  words=(check ${tests[@]+"${tests[@]}"})
  if [ -n "${BUTO_CHANGED_SINCE:-}" ]; then words+=("--changed-since=$BUTO_CHANGED_SINCE"); fi
  reported "" "${words[@]}"
elif [ ${#tests[@]} = 0 ] || [ -z "${BUTO_CHANGED_SINCE:-}" ]; then
  code=2
  why="revisions are compared test by test; also give tests and changed-since"
  echo "buto: $why" >&2
  echo "⚠️ **not checked**: $why." >"$reports/comment.md"
else
  number=0
  for test in "${tests[@]}"; do
    number=$((number + 1))
    end=$([ "$number" = 1 ] || echo "-$number")
    reported "$end" compare "$test" --revisions "$BUTO_CHANGED_SINCE" HEAD --build "$BUTO_BUILD"
    if [ -n "$end" ]; then
      cat "$reports/comment$end.md" >>"$reports/comment.md"
      rm "$reports/comment$end.md"
    fi
  done
fi

if [ "$code" = 1 ] && [ -z "${BUTO_BUILD:-}" ] && [ -n "${BUTO_EXPLAIN:-}" ] && [ -n "${BUTO_CHANGED_SINCE:-}" ]; then
  here=$(dirname "${BASH_SOURCE[0]}")
  "${BUTO_PYTHON:-python3}" "$here/explain.py" "$reports" "$BUTO_CHANGED_SINCE" "$BUTO_EXPLAIN" ||
    echo "buto: the regression could not be explained" >&2
fi
if [ -n "${BUTO_HISTORY:-}" ]; then
  mkdir -p "$(dirname "$BUTO_HISTORY")"
  buto history --html "$BUTO_HISTORY" || echo "buto: the page of the history could not be written" >&2
fi
if [ -n "${GITHUB_STEP_SUMMARY:-}" ]; then cat "$reports/comment.md" >>"$GITHUB_STEP_SUMMARY"; fi
if [ -n "${GITHUB_OUTPUT:-}" ]; then echo "exit-code=$code" >>"$GITHUB_OUTPUT"; fi
exit "$code"
