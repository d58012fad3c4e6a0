#!/usr/bin/env bash
# Runs all attacks of this folder on an existing build: test/fault/run.sh [--long | --damage] [BUILD]
# --long fails every system call in turn, runs every memory command in every hostile repository, kills 150 times in each
# way, damages 560 stores and 240 raw files, floods the daemon and watches it for five minutes afterwards, and runs the
# soak test for 20 minutes; that takes hours.
# --damage only damages the 560 stores and 240 raw files.
# FILTER (a gtest filter) selects some of the attacks by kills and failures.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
attacks=${FILTER:-"*"}
length=short
case ${1:-} in
  --long)
    shift
    length=long
    export MEMD_FAILURES=${MEMD_FAILURES:-all} MEMD_KILLS=${MEMD_KILLS:-150} MEMD_DAMAGES=${MEMD_DAMAGES:-560}
    export MEMD_HOSTILE=all
    ;;
  --damage)
    shift
    length=damage
    export MEMD_DAMAGES=${MEMD_DAMAGES:-560}
    attacks='PageDamage.*'
    ;;
esac
build=${1:-$root/build/dev}
report=$(mktemp)
trap 'rm -f "$report"' EXIT
status=0

attack() { # PROGRAM FILTER
  rm -f "$report"
  "$build/$1" --gtest_filter="$2" --gtest_output=json:"$report" | grep -E ' tries[,:]|Failure|FAILED' || true
  python3 - "$report" <<'TABLE' || status=1
import json, sys
report = json.load(open(sys.argv[1]))
killed = []
print(f"{'attack':<72} {'seconds':>8}  {'kills':>5}  result")
for suite in report["testsuites"]:
    for test in suite["testsuite"]:
        failed = "failures" in test
        if "kills" in test:
            killed.append((int(test["kills"]), not failed))
        result = "FAILED" if failed else "skipped" if test["result"] == "SKIPPED" else "nothing lost"
        print(f"{suite['name'] + '.' + test['name']:<72} {test['time'][:-1]:>8}  {test.get('kills', ''):>5}  {result}")
print(f"{len(killed)} kinds, {sum(kills for kills, _ in killed)} kills: nothing lost, doubled or half in "
      f"{sum(good for _, good in killed)} of {len(killed)} kinds")
sys.exit(1 if report["failures"] else 0)
TABLE
}

attack test/fault/test_fault "$attacks"
if [ -n "${FILTER:-}" ]; then exit $status; fi
if [ $length != short ]; then export MEMD_DAMAGES=${RAW_DAMAGES:-240}; fi
attack test/daemon/test_daemon 'RebuildLoss.NothingIsLostHowever*'
if [ $length = damage ]; then exit $status; fi

if [ $length = long ]; then
  flood=(--quiet 5 --after 300)
  soak=(--minutes "${SOAK_MINUTES:-20}")
else
  flood=(--clients 8 --calls 800 --quiet 0.5)
  soak=()
fi
"$root/test/fault/flood.py" flood "$build/daemon/memd" "${flood[@]}" || status=1
"$root/test/fault/soak.py" "$build/daemon/memd" --preload "$build/test/fault/libfailing_calls.so" "${soak[@]}" || status=1
exit $status
