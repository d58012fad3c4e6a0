#!/usr/bin/env bash
# Runs the tests of the pages on $MEMD_BINARY in headless Chromium: run.sh TAP_FILE
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
: "${MEMD_BINARY:?the memd to test}"
export MEMD_BINARY
# The driver needs a newer Node than some systems have; test/e2e installs one with its clients.
for bin in "$PWD"/../e2e/node_modules/node-linux-*/bin; do
  if [ -x "$bin/node" ]; then export PATH=$bin:$PATH; fi
done
exec node --test --test-concurrency=1 --test-timeout=300000 --test-reporter=spec --test-reporter-destination=stdout \
  --test-reporter=tap --test-reporter-destination="${1:?where to write the report}" ./*.test.mjs
