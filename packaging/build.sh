#!/usr/bin/env bash
# Builds the program for installation, into build/install, and shows the progress. The log is build/install.log.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
mkdir -p build
readonly log=$root/build/install.log

# Shows ninja's counter, [12/80]: on one line of a terminal, otherwise on a new line after each tenth.
show_count() {
  local line "done" all tenth last=-1
  while IFS= read -r line; do
    if [[ $line =~ ^\[([0-9]+)/([0-9]+)\] ]]; then
      done=${BASH_REMATCH[1]} all=${BASH_REMATCH[2]}
      if [ -t 1 ]; then
        printf '\rmemd: %d of %d ' "$done" "$all"
      else
        tenth=$((done * 10 / all))
        if [ $tenth -ne $last ]; then printf 'memd: %d of %d\n' "$done" "$all"; fi
        last=$tenth
      fi
    fi
  done
  if [ -t 1 ]; then printf '\r\033[K'; fi
}

build() {
  cmake --preset release -B build/install -DMEMD_BUILD_BENCH=OFF -DMEMD_BUILD_TESTS=OFF &&
    cmake --build build/install --target memd
}
build 2>&1 | tee "$log" | show_count || {
  tail -n 40 "$log" >&2
  printf 'the build failed; the whole log is %s\n' "$log" >&2
  exit 1
}
