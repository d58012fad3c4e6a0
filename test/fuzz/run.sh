#!/usr/bin/env bash
# Builds the fuzz targets and runs each for a while: test/fuzz/run.sh [SECONDS] [NAME...]
# Findings are stored in build/fuzz/findings; a fixed finding belongs in test/fuzz/corpus/NAME.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
cd "$root"
seconds=${1:-60}
shift || true

packaging/install-deps.sh build fuzz
clang=$(packaging/newest_clang.sh)
cmake --preset fuzz -DCMAKE_C_COMPILER="${clang/++/}" -DCMAKE_CXX_COMPILER="$clang"
cmake --build --preset fuzz --target test/fuzz/all

if [ $# -eq 0 ]; then
  for program in build/fuzz/test/fuzz/fuzz_*; do
    if [ -f "$program" ] && [ -x "$program" ]; then set -- "$@" "${program#build/fuzz/test/fuzz/fuzz_}"; fi
  done
fi
status=0
for name in "$@"; do
  findings=$root/build/fuzz/findings/$name
  grown=$root/build/fuzz/grown/$name
  mkdir -p "$findings" "$grown"
  seeds=()
  for seed in test/fuzz/corpus/"$name" test/golden/"$name"; do
    if [ -d "$seed" ]; then seeds+=("$seed"); fi
  done
  echo "--- $name: $seconds s"
  build/fuzz/test/fuzz/fuzz_"$name" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
    -artifact_prefix="$findings/" "$grown" "${seeds[@]}" || status=1
done
exit $status
