#!/usr/bin/env bash
# Builds tests with the compiler of a release and runs them, under qemu-user where the processor is another:
# test.sh TARGET [TEST...]. The test `e2e` has the program of a release used by clients; of another processor, the system
# has to run programs by qemu-user itself (binfmt_misc, Debian's qemu-user-static).
set -euo pipefail
# shellcheck source=packaging/release/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
target=${1:?which target}
tests=()
e2e=no
for test in "${@:2}"; do
  if [ "$test" = e2e ]; then e2e=yes; else tests+=("$test"); fi
done
[ $# -gt 1 ] || tests=(test_schemas test_store test_store_threads test_adapters test_protocol)
if [ ${#tests[@]} -gt 0 ]; then
  build=$(built "$target" ON "${tests[@]}")
  labels=$(IFS='|' && echo "${tests[*]}")
  ctest --test-dir "$build" --label-regex "^($labels)$" --parallel "$jobs" --output-on-failure --timeout 7200
fi
if [ $e2e = yes ]; then
  build=$(built "$target" OFF memd)
  "$root/test/e2e/install.sh" test/e2e
  MEMD_TEST_PATIENCE=$([ "$target" = linux-x86_64 ] && echo 1 || echo 8) MEMD_BINARY=$build/daemon/memd "$root/test/e2e/run.sh" "$build/e2e.tap"
fi
