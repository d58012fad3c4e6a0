#!/usr/bin/env bash
# Builds and runs every test and check. The last line is "N passed, N failed" over all of them.
set -euo pipefail

readonly all_steps=(format scripts units asan grpc tsan release e2e browser)

usage() {
  cat <<TEXT
usage: packaging/test.sh [--quick] [--only STEP]... [--no-deps] [--cpu-limit SECONDS]

  --quick      the dev build and its tests only
  --only STEP  one of: ${all_steps[*]} dev (may be repeated)
  --no-deps    do not look for missing packages
  --cpu-limit  fail when all steps together took more seconds of CPU

format   clang-format
scripts  syntax of the shell and Python scripts, shellcheck where installed; shape of the Claude Code plugin
units    systemd units and the launchd property list
asan     all tests under AddressSanitizer and UndefinedBehaviorSanitizer (layering and fuzz replay among them)
grpc     the gRPC door and its tests, in the build of asan
tsan     the tests of what has threads under ThreadSanitizer
release  the program as it is installed, its package and its tarball
e2e      that program with the official MCP clients (needs node); runs on beside browser, whose time includes it
browser  the pages that it writes, in headless Chromium (needs node and chromium)
dev      the incremental build of daily work, and all tests; not among the steps that run by themselves
TEXT
}

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
jobs=${MEMD_JOBS:-$(nproc)}
logs=$root/build/test-logs
steps=()
deps=yes
cpu_limit=
while [ $# -gt 0 ]; do
  case $1 in
    --quick) steps=(dev) && shift ;;
    --only)
      [ $# -ge 2 ] && [[ " ${all_steps[*]} dev " == *" $2 "* ]] || {
        usage >&2
        exit 2
      }
      steps+=("$2") && shift 2
      ;;
    --no-deps) deps=no && shift ;;
    --cpu-limit)
      [[ ${2:-} =~ ^[0-9]+$ ]] || {
        usage >&2
        exit 2
      }
      cpu_limit=$2 && shift 2
      ;;
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
launch=() # prefix of the commands that build and run tests
with=()   # further options of configuring
e2e=      # the process of the clients' tests

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

# use_clang SANITIZER: builds with clang until use_default_compiler, where it is installed with this sanitizer. Unoptimised code of
# clang takes half as long to compile as that of g++, and long tests take a third more. Its warnings are others, and are errors, too.
use_clang() {
  local clang
  clang=$(packaging/newest_clang.sh) || return 0
  "$clang" -fsanitize="$1" -x c++ -o "$logs/$1-probe" - <<<'int main() {}' 2>/dev/null || return 0
  with=(-DCMAKE_CXX_COMPILER="$(command -v "$clang")" -DCMAKE_C_COMPILER="$(command -v "${clang/++/}")"
    -DCMAKE_CXX_FLAGS_RELWITHDEBINFO="-O0 -g1" -DMEMD_WERROR=ON)
}
use_default_compiler() { with=(); }

# Succeeds if a build directory was configured with clang and `with` does not name that clang, or the reverse.
compiler_changed() {
  local cache=build/$1/CMakeCache.txt known
  [ -f "$cache" ] || return 1
  known=$(sed -n 's/^CMAKE_CXX_COMPILER:[A-Z]*=//p' "$cache")
  if [ ${#with[@]} -gt 0 ]; then [ "$known" != "${with[0]#*=}" ]; else [[ $known == *clang* ]]; fi
}

# Builds a preset; a failure counts as one failed check and a success as one passed.
build() {
  local preset=$1 fresh=()
  shift
  if compiler_changed "$preset"; then fresh=(--fresh); fi
  configure_and_build() {
    "${launch[@]}" cmake --preset "$preset" "${fresh[@]}" "${with[@]}" &&
      "${launch[@]}" cmake --build --preset "$preset" -j "$jobs" ${1:+--target "$@"}
  }
  check "build $preset" configure_and_build "$@"
}

# Runs ctest, whose tests are parts of the test binaries, and adds up what each part reports.
run_ctest() {
  local preset=$1 results=$root/build/$1/test-results name=${ctest_name:-$1} total bad none ran=yes
  local log=$logs/ctest-$name.log
  shift
  rm -rf "$results"
  "${launch[@]}" ctest --preset "$preset" -j "$jobs" --timeout 1800 --no-tests=error "$@" >"$log" 2>&1 || ran=no
  count() { cat "$results"/*.xml 2>/dev/null | sed -n "s/.*<testsuites.*[[:space:]]$1=\"\([0-9]*\)\".*/\1/p" | awk '{sum += $1} END {print sum + 0}'; }
  total=$(count tests) bad=$(($(count failures) + $(count errors))) none=$(count disabled)
  total=$((total + $(grep -c ' fuzz_replay\..*Passed' "$log" || true))) # these write no report
  none=$((none + $(cat "$results"/*.xml 2>/dev/null | grep -c '<skipped' || true)))
  # A part that crashed leaves no report of its own.
  if [ "$ran" = no ] && [ "$bad" -eq 0 ]; then bad=1; fi
  passed=$((passed + total - bad - none))
  failed=$((failed + bad))
  skipped=$((skipped + none))
  say "ctest $name: $((total - bad - none)) passed, $bad failed, $none skipped"
  if [ "$bad" -gt 0 ]; then
    failures+=("ctest $name ($bad)")
    say "whole log: $log"
    sed -n '/The following tests FAILED/,$p' "$log"
    grep -E '(Failure|error: |ERROR: |SUMMARY: |FAILED  )' -A 6 "$log" | head -n 80 || true
  fi
}

# --- steps ---------------------------------------------------------------------------------------------------------

step_dev() { build dev all all_verify_interface_header_sets && run_ctest dev; }

sources() { git ls-files --cached --others --exclude-standard -- '*.cpp' '*.hpp'; }

step_format() {
  if ! command -v clang-format-14 >/dev/null; then
    skip "format: clang-format-14 is not installed, and other versions lay out differently"
    return
  fi
  clang_format() { sources | xargs clang-format-14 --dry-run -Werror; }
  check format clang_format
}

step_scripts() {
  local script
  for script in $(git ls-files -- '*.sh' .ci/run); do
    check "bash -n $script" bash -n "$script" || true
    if command -v shellcheck >/dev/null; then check "shellcheck $script" shellcheck -S warning "$script" || true; fi
  done
  python_scripts() { git ls-files -z -- '*.py' | xargs -0 python3 -c 'import ast, sys
for name in sys.argv[1:]: ast.parse(open(name).read(), name)'; }
  check "python scripts" python_scripts || true
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

step_release() { check "package" packaging/package.sh; }

# What the tests with real programs use.
readonly release_memd=$root/build/install/daemon/memd
need_release() { [ -x "$release_memd" ] || step_release; }

# The sample server, whose tools the protocol's conformance suite calls.
readonly sample_server=$root/build/asan/test/protocol/memd_sample_server
# memd with a later version number, which replaces the one under test.
readonly next_memd=$root/build/asan/test/setup/memd_next
need_test_programs() { [ -x "$sample_server" ] && [ -x "$next_memd" ] || build_asan memd_sample_server memd_next; }

step_e2e() {
  if ! command -v node >/dev/null || ! command -v npm >/dev/null; then
    skip "e2e: THE TESTS WITH REAL CLIENTS DID NOT RUN, there is no node and npm here"
    return
  fi
  need_release || return 0
  check "e2e clients installed" test/e2e/install.sh test/e2e || return 0
  need_test_programs || return 0
  MEMD_BINARY=$release_memd MEMD_SAMPLE_SERVER=$sample_server MEMD_NEXT_BINARY=$next_memd \
    MEMD_PACKAGE=$(find "$root/build/packages" -name '*.deb' 2>/dev/null | head -n 1) test/e2e/run.sh "$logs/e2e.tap" >"$logs/e2e.log" 2>&1 &
  e2e=$!
}

# The clients' tests run beside those of the pages: both wait more than they compute.
end_e2e() {
  [ -n "$e2e" ] || return 0
  wait "$e2e" || true
  e2e=
  count_tap e2e
}

step_browser() {
  if ! command -v node >/dev/null || ! command -v npm >/dev/null || ! test/browser/find_chromium.sh >/dev/null; then
    skip "browser: THE PAGES WERE NOT LOOKED AT, there is no node with npm or no chromium here"
    return
  fi
  need_release || return 0
  check "browser driver installed" test/e2e/install.sh test/browser && check "node installed" test/e2e/install.sh test/e2e || return 0
  MEMD_BINARY=$release_memd test/browser/run.sh "$logs/browser.tap" >"$logs/browser.log" 2>&1 || true
  count_tap browser
  end_e2e
}

# What only g++ 12 does wrong with temporaries of co_await, test/layering looks for.
build_asan() {
  local built=yes
  use_clang address
  build asan "$@" || built=no
  use_default_compiler
  [ $built = yes ]
}

step_asan() {
  # Shorter stacks of allocations and a quarter of the freed memory that is kept: fewer pages to fill.
  export ASAN_OPTIONS=${ASAN_OPTIONS:-detect_stack_use_after_return=1:strict_string_checks=1}
  export UBSAN_OPTIONS=${UBSAN_OPTIONS:-print_stacktrace=1}
  build_asan && run_ctest asan
}

# Adds the gRPC door to the asan build; its libraries do not change.
step_grpc() {
  [ $deps = no ] || packaging/install-deps.sh grpc || true
  if ! pkg-config --exists grpc++ protobuf || ! command -v grpc_cpp_plugin >/dev/null || ! command -v protoc >/dev/null; then
    skip "grpc: THE gRPC DOOR WAS NOT BUILT, its packages cannot be had here (packaging/install-deps.sh grpc)"
    return
  fi
  use_clang address # as build_asan
  add_door() { cmake --preset asan "${with[@]}" -DMEMD_WITH_GRPC=ON && cmake --build --preset asan -j "$jobs" --target test_grpc memd_grpc_verify_interface_header_sets; }
  check "build grpc" add_door && ctest_name=grpc run_ctest asan -L '^test_grpc$'
  use_default_compiler
}

step_tsan() {
  local threaded=(test_protocol test_daemon test_store_threads)
  use_clang thread
  export TSAN_OPTIONS=${TSAN_OPTIONS:-halt_on_error=1:second_deadlock_stack=1}
  # ThreadSanitizer does not support the address layout of newer kernels. The build needs this, too, because it runs the
  # tests to list them.
  if setarch "$(uname -m)" -R true 2>/dev/null; then launch=(setarch "$(uname -m)" -R); fi
  build tsan "${threaded[@]}" && run_ctest tsan -L "^($(IFS='|' && echo "${threaded[*]}"))\$" -E '^test_daemon[.](interchange|rebuild)$'
  launch=()
  use_default_compiler
}

# --- run -----------------------------------------------------------------------------------------------------------

[ $deps = no ] || packaging/install-deps.sh build package test

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

# Seconds of CPU that this script's children have taken so far.
cpu_seconds() { awk '{print int(($16 + $17) / '"$(getconf CLK_TCK)"')}' /proc/$$/stat; }

# The limit of CPU is for a machine that parses these headers in 2.7 s. It is scaled up on a slower one, by the mean over the
# steps: the same machine becomes three times slower when others share it.
probes=
probe() {
  [ -n "$cpu_limit" ] || return 0
  probes+=$({ TIMEFORMAT=%U && time g++ -std=c++20 -fsyntax-only -x c++ - <<<$'#include <boost/asio.hpp>\n#include <boost/json.hpp>'; } 2>&1 | tail -n 1)$'\n'
}

table=$(printf '%-8s %8s %8s' step seconds CPU)
for step in "${steps[@]}"; do
  say "--- $step"
  probe
  begin=$SECONDS
  cpu_begin=$(cpu_seconds)
  before=$((passed + failed + skipped))
  "step_$step" || true # the failure is counted
  if [ $((passed + failed + skipped)) -eq $before ]; then check "$step did something" false || true; fi
  table+=$(printf '\n%-8s %8d %8d' "$step" $((SECONDS - begin)) $(($(cpu_seconds) - cpu_begin)))
done
end_e2e
say
say "$table"
say "$(printf '%-8s %8d %8d' all "$SECONDS" "$(cpu_seconds)")"
if [ -n "$cpu_limit" ]; then
  spent=$(cpu_seconds)
  cpu_limit=$(awk -v limit="$cpu_limit" '{sum += $1} END {mean = sum / NR; print int(limit * (mean > 2.7 ? mean / 2.7 : 1))}' <<<"${probes%$'\n'}")
  check "at most $cpu_limit s of CPU, $spent taken" test "$spent" -le "$cpu_limit" || true
fi

say
[ ${#failures[@]} -eq 0 ] || say "failed: $(printf '%s; ' "${failures[@]}")"
[ "$skipped" -eq 0 ] || say "$skipped skipped"
say "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
