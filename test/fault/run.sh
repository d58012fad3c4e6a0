#!/usr/bin/env bash
# Attacks memd in all ways of this folder, in a build that is there: test/fault/run.sh [--long] [BUILD]
# --long fails every system call in turn, kills 150 times in each way and damages 560 stores; that takes hours.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
if [ "${1:-}" = --long ]; then
  shift
  export MEMD_FAILURES=${MEMD_FAILURES:-all} MEMD_KILLS=${MEMD_KILLS:-150} MEMD_DAMAGES=${MEMD_DAMAGES:-560}
fi
build=${1:-$root/build/dev}
report=$(mktemp)
trap 'rm -f "$report"' EXIT
status=0
"$build/test/fault/test_fault" --gtest_output=json:"$report" | grep -E ' tries[,:]|Failure|FAILED' || true
python3 - "$report" <<'TABLE' || status=1
import json, sys
report = json.load(open(sys.argv[1]))
print(f"{'attack':<64} {'seconds':>8}  {'kills':>5}  result")
for suite in report["testsuites"]:
    for test in suite["testsuite"]:
        failed = "failures" in test
        result = "FAILED" if failed else "skipped" if test["result"] == "SKIPPED" else "nothing lost"
        print(f"{suite['name'] + '.' + test['name']:<64} {test['time'][:-1]:>8}  {test.get('kills', ''):>5}  {result}")
sys.exit(1 if report["failures"] else 0)
TABLE
exit $status
