#!/usr/bin/env bash
# Runs the end-to-end tests on $MEMD_BINARY: run.sh TAP_FILE [TEST_FILE...]. MEMD_TEST_PATIENCE=N: deadlines are N times as long.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cd "$here"
: "${MEMD_BINARY:?the memd to test}"
export MEMD_BINARY
tap=${1:?where to write the report}
shift
[ $# -gt 0 ] || set -- ./*.test.mjs
# The clients need a newer Node than some systems have; it is installed with them.
for bin in "$here"/node_modules/node-linux-*/bin; do
  if [ -x "$bin/node" ]; then export PATH=$bin:$PATH; fi
done
exec node --test --test-concurrency=4 --test-timeout=$((300000 * ${MEMD_TEST_PATIENCE:-1})) \
  --test-reporter=spec --test-reporter-destination=stdout --test-reporter=tap --test-reporter-destination="$tap" "$@"
