#!/bin/sh
# Unpacks a runtime into an empty directory, and trains and checks a bundled program there: the same passes, twice
# the work fails, however slow the machine is. Needs a JVM, and neither Python nor network.  try_runtime.sh ARCHIVE
set -eu
archive=$(readlink -f "$1")
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"
HOME=$place
export HOME
gzip -dc "$archive" | tar xf -
set -- "$place"/buto-runtime-*
runtime=$1
buto=$runtime/bin/buto
[ -s "$runtime/NOTICE" ]
"$buto" --version
jar=$(ls "$runtime"/python/lib/python3.*/site-packages/buto/jars/buto-testprograms.jar)

# Ends with the exit code of buto.
working() {
  cat >buto.yaml <<YAML
version: 1
defaults:
  runs: 5
  timeout: 1min
  judge: {alpha: 0.05, minimum-effect: {"*": never, jvm.memory.allocated: 20%}}
tests:
  worker:
    command: >-
      java -Xms256m -Xmx256m -XX:+UseSerialGC -cp $jar buto.testprograms.growth.Growth
      --keeps nothing --marks no --rounds $1
YAML
  shift
  "$buto" "$@" >>log 2>&1 || return $?
}

# What ends, and with which code it must.
expect() {
  wanted=$1
  shift
  code=0
  working "$@" || code=$?
  if [ "$code" != "$wanted" ]; then
    cat log
    echo "buto $2 with $1 rounds of work must exit with $wanted, got $code" >&2
    exit 1
  fi
  echo "buto $2 with $1 rounds of work: exit code $code"
}

expect 0 200 train worker
# As if others had used the whole machine in training: then no check is inconclusive because they do now.
"$runtime"/python/bin/python3.* -I - <<'PYTHON'
import dataclasses, buto
oracle = "oracles/worker.json"
buto.save_oracle(oracle, dataclasses.replace(buto.load_oracle(oracle), foreign_load=1.0))
PYTHON
expect 0 200 check worker --html report.html
expect 1 400 check worker
"$buto" plot worker >/dev/null
[ -s plots/worker/overview.png ] && [ -s report.html ]
