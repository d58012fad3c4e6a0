#!/usr/bin/env bash
# Builds and runs every test and check. The last line is "N passed, N failed" over all of them.
set -euo pipefail

readonly all_steps=(dev format headers scripts units e2e browser asan tsan)

usage() {
  cat <<TEXT
usage: packaging/test.sh [--quick] [--only STEP]... [--no-deps]

  --quick      the dev build and its tests only
  --only STEP  one of: ${all_steps[*]} (may be repeated)
  --no-deps    do not look for missing packages

dev      build with warnings as errors, all tests (layering and fuzz replay among them)
format   clang-format
headers  every header compiles by itself (those that a source of the same name includes first: in dev)
scripts  syntax of the shell and Python scripts, shellcheck where installed; shape of the Claude Code plugin
units    systemd units and the launchd property list
e2e      the binary with the official MCP clients (needs node)
browser  the pages memd writes, in headless Chromium (needs node and chromium)
asan     all tests under AddressSanitizer and UndefinedBehaviorSanitizer
tsan     the tests of what has threads under ThreadSanitizer
TEXT
}

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
jobs=${MEMD_JOBS:-$(nproc)}
logs=$root/build/test-logs
steps=()
deps=yes
while [ $# -gt 0 ]; do
  case $1 in
    --quick) steps=(dev) && shift ;;
    --only)
      [ $# -ge 2 ] && [[ " ${all_steps[*]} " == *" $2 "* ]] || {
        usage >&2
        exit 2
      }
      steps+=("$2") && shift 2
      ;;
    --no-deps) deps=no && shift ;;
    -h | --help) usage && exit ;;
    *)
      usage >&2
      exit 2
      ;;
  esac
done
[ ${#steps[@]} -gt 0 ] || steps=("${all_steps[@]}")
mkdir -p "$logs"

passed=0
failed=0
skipped=0
failures=()
launch=() # put before commands that build and run tests

say() { printf '%s\n' "$*"; }
skip() {
  skipped=$((skipped + 1))
  say "SKIPPED: $*"
}

# check NAME COMMAND...: counts one check; shows its output only when it fails.
check() {
  local name=$1 log
  log=$logs/${name//[^A-Za-z0-9._-]/_}.log
  shift
  if "$@" >"$log" 2>&1; then
    passed=$((passed + 1))
    say "ok: $name"
  else
    failed=$((failed + 1))
    failures+=("$name")
    say "FAILED: $name (whole log: $log)"
    tail -n 60 "$log"
    return 1
  fi
}

# Builds a preset; a failure counts as one failed check and a success as one passed.
build() {
  local preset=$1
  shift
  configure_and_build() {
    "${launch[@]}" cmake --preset "$preset" &&
      "${launch[@]}" cmake --build --preset "$preset" -j "$jobs" ${1:+--target "$@"}
  }
  check "build $preset" configure_and_build "$@"
}

# Runs ctest and adds its own counts, test by test, from its JUnit report.
run_ctest() {
  local preset=$1 junit=$logs/ctest-$1.xml header total bad none
  shift
  rm -f "$junit"
  "${launch[@]}" ctest --preset "$preset" -j "$jobs" --timeout 600 --no-tests=error --output-junit "$junit" "$@" \
    >"$logs/ctest-$preset.log" 2>&1 || true
  if ! header=$(tr '\n' ' ' <"$junit" 2>/dev/null | grep -o '<testsuite [^>]*>'); then
    check "ctest $preset gave a report" false || tail -n 40 "$logs/ctest-$preset.log"
    return
  fi
  count() { sed -n "s/.*[[:space:]]$1=\"\([0-9]*\)\".*/\1/p" <<<"$header"; }
  total=$(count tests) bad=$(count failures)
  none=$(($(count skipped) + $(count disabled)))
  passed=$((passed + total - bad - none))
  failed=$((failed + bad))
  skipped=$((skipped + none))
  say "ctest $preset: $((total - bad - none)) passed, $bad failed, $none skipped"
  if [ "$bad" -gt 0 ]; then
    failures+=("ctest $preset ($bad)")
    say "whole log: $logs/ctest-$preset.log"
    sed -n '/The following tests FAILED/,$p' "$logs/ctest-$preset.log"
    grep -E '(Failure|error: |ERROR: |SUMMARY: )' -A 6 "$logs/ctest-$preset.log" | head -n 80 || true
  fi
}

# --- steps ---------------------------------------------------------------------------------------------------------

step_dev() { build dev && run_ctest dev; }

sources() { git ls-files --cached --others --exclude-standard -- '*.cpp' '*.hpp'; }

step_format() {
  if ! command -v clang-format-14 >/dev/null; then
    skip "format: clang-format-14 is not installed, and other versions lay out differently"
    return
  fi
  clang_format() { sources | xargs clang-format-14 --dry-run -Werror; }
  check format clang_format
}

step_headers() { build dev all_verify_interface_header_sets; }

step_scripts() {
  local script
  for script in $(git ls-files -- '*.sh' .ci/run); do
    check "bash -n $script" bash -n "$script" || true
    if command -v shellcheck >/dev/null; then check "shellcheck $script" shellcheck -S warning "$script" || true; fi
  done
  for script in $(git ls-files -- '*.py'); do
    check "python $script" python3 -c 'import ast, sys; ast.parse(open(sys.argv[1]).read())' "$script" || true
  done
  check "plugin for Claude Code" packaging/check_plugin.py || true
}

step_units() {
  check "launchd plist" python3 -c 'import plistlib, sys; plistlib.load(open(sys.argv[1], "rb"))' \
    packaging/launchd/dev.memd.plist || true
  if ! command -v systemd-analyze >/dev/null; then
    skip "units: no systemd-analyze here"
    return
  fi
  check "systemd units" packaging/systemd/verify.sh || true
}

# Adds the counts of a TAP report to ours: count_tap NAME.
count_tap() {
  local name=$1 tap=$logs/$1.tap bad
  tap_count() { sed -n "s/^# $1 \([0-9]*\)$/\1/p" "$tap" 2>/dev/null | tail -n 1; }
  if [ -z "$(tap_count pass)" ]; then
    check "$name gave a report" false || tail -n 40 "$logs/$name.log"
    return
  fi
  bad=$(($(tap_count fail) + $(tap_count cancelled)))
  passed=$((passed + $(tap_count pass)))
  failed=$((failed + bad))
  skipped=$((skipped + $(tap_count skipped) + $(tap_count todo)))
  say "$name: $(tap_count pass) passed, $bad failed, $(tap_count skipped) skipped"
  if [ "$bad" -gt 0 ]; then
    failures+=("$name ($bad)")
    say "whole log: $logs/$name.log"
    sed -n '/failing tests:/,$p' "$logs/$name.log" | cut -c 1-400 | head -n 160
  fi
}

step_e2e() {
  if ! command -v node >/dev/null || ! command -v npm >/dev/null; then
    skip "e2e: THE TESTS WITH REAL CLIENTS DID NOT RUN, there is no node and npm here"
    return
  fi
  build dev memd || return 0
  check "e2e clients installed" test/e2e/install.sh test/e2e || return 0
  MEMD_BINARY=$root/build/dev/daemon/memd test/e2e/run.sh "$logs/e2e.tap" >"$logs/e2e.log" 2>&1 || true
  count_tap e2e
}

step_browser() {
  if ! command -v node >/dev/null || ! command -v npm >/dev/null || ! test/browser/find_chromium.sh >/dev/null; then
    skip "browser: THE PAGES WERE NOT LOOKED AT, there is no node with npm or no chromium here"
    return
  fi
  build dev memd || return 0
  check "browser driver installed" test/e2e/install.sh test/browser && check "node installed" test/e2e/install.sh test/e2e || return 0
  MEMD_BINARY=$root/build/dev/daemon/memd test/browser/run.sh "$logs/browser.tap" >"$logs/browser.log" 2>&1 || true
  count_tap browser
}

step_asan() {
  export ASAN_OPTIONS=${ASAN_OPTIONS:-detect_stack_use_after_return=1:strict_string_checks=1}
  export UBSAN_OPTIONS=${UBSAN_OPTIONS:-print_stacktrace=1}
  build asan && run_ctest asan
}

step_tsan() {
  local threaded=(test_protocol test_daemon test_store_threads)
  export TSAN_OPTIONS=${TSAN_OPTIONS:-halt_on_error=1:second_deadlock_stack=1}
  # ThreadSanitizer does not know the address layout of newer kernels; tests run while building, too, to be listed.
  if setarch "$(uname -m)" -R true 2>/dev/null; then launch=(setarch "$(uname -m)" -R); fi
  build tsan "${threaded[@]}" && run_ctest tsan -L "^($(IFS='|' && echo "${threaded[*]}"))\$"
  launch=()
}

# --- run -----------------------------------------------------------------------------------------------------------

[ $deps = no ] || packaging/install-deps.sh build test

# Real histories to check the numbers against. They are not part of the project; without them those tests skip.
if [ -z "${MEMD_CORPUS:-}" ] && [ -d "$root/../shared/corpus/home" ]; then
  MEMD_CORPUS=$(cd "$root/../shared/corpus/home" && pwd)
fi
if [ -n "${MEMD_CORPUS:-}" ]; then
  export MEMD_CORPUS
  say "corpus: $MEMD_CORPUS"
else
  say "corpus: none (set MEMD_CORPUS); its tests skip"
fi

for step in "${steps[@]}"; do
  say "--- $step"
  begin=$SECONDS
  before=$((passed + failed + skipped))
  "step_$step" || true # what went wrong is counted
  if [ $((passed + failed + skipped)) -eq $before ]; then check "$step did something" false || true; fi
  say "--- $step: $((SECONDS - begin)) s"
done

say
[ ${#failures[@]} -eq 0 ] || say "failed: $(printf '%s; ' "${failures[@]}")"
[ "$skipped" -eq 0 ] || say "$skipped skipped"
say "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
