#!/bin/sh
# Unpacks a runtime into an empty directory, and trains and checks a bundled program there: the same passes, a larger
# leak fails. Needs a JVM, and neither Python nor network.  try_runtime.sh ARCHIVE
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
leaking() {
  cat >buto.yaml <<YAML
version: 1
defaults:
  runs: 5
  timeout: 1min
  judge: {alpha: 0.05, minimum-effect: {"*": never, jvm.memory.heap.live: 4MiB}}
tests:
  leaker:
    command: >-
      java -Xms256m -Xmx256m -XX:+UseSerialGC -cp $jar buto.testprograms.leaker.Leaker
      --duration 1s --pieces 20 --piece-size 2000 --leaks $1
YAML
  shift
  "$buto" "$@" >>log 2>&1 || return $?
}

# What ends, and with which code it must.
expect() {
  wanted=$1
  shift
  code=0
  leaking "$@" || code=$?
  if [ "$code" != "$wanted" ]; then
    cat log
    echo "buto $2 with $1 leaks a tick must exit with $wanted, got $code" >&2
    exit 1
  fi
  echo "buto $2 with $1 leaks a tick: exit code $code"
}

expect 0 10 train leaker
# As if others had used the whole machine in training: then no check is inconclusive because they do now.
"$runtime"/python/bin/python3.* -I - <<'PYTHON'
import dataclasses, buto
oracle = "oracles/leaker.json"
buto.save_oracle(oracle, dataclasses.replace(buto.load_oracle(oracle), foreign_load=1.0))
PYTHON
expect 0 10 check leaker --html report.html
expect 1 400 check leaker
"$buto" plot leaker >/dev/null
[ -s plots/leaker/overview.png ] && [ -s report.html ]
