#!/usr/bin/env bash
# Builds tests with the compiler of a release and runs them, under qemu-user where the processor is another:
# test.sh TARGET [TEST...]
set -euo pipefail
# shellcheck source=packaging/release/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
target=${1:?which target}
tests=("${@:2}")
[ ${#tests[@]} -gt 0 ] || tests=(test_schemas test_store test_store_threads test_adapters test_protocol)
build=$(built "$target" ON "${tests[@]}")
labels=$(IFS='|' && echo "${tests[*]}")
ctest --test-dir "$build" --label-regex "^($labels)$" --parallel "$jobs" --output-on-failure --timeout 7200
