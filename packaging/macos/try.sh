#!/usr/bin/env bash
# For a person with a Mac: try.sh memd-VERSION-macos-ARCH.tar.gz. Uses the program in a home directory of its own for a minute and
# prints a report to send. Changes nothing else; the agent of launchd is tried only with --launchd.
set -uo pipefail
tarball=${1:?which tarball}
launchd=${2:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export HOME=$work/home
mkdir -p "$HOME/.claude/projects/-w"
passed=0 failed=0

# check WHAT COMMAND...: one line of the report
check() {
  local what=$1 said rc
  shift
  said=$("$@" 2>&1)
  rc=$?
  if [ $rc -eq 0 ]; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
  printf '%-6s %s\n' "$([ $rc -eq 0 ] && echo ok || echo FAILED)" "$what"
  if [ $rc -ne 0 ]; then printf '%s\n' "$said" | tail -n 5 | sed 's/^/       /'; fi
}

turn() {
  printf '{"type":"user","uuid":"%s","sessionId":"00000000-0000-4000-8000-000000000001","cwd":"/w","timestamp":"2026-03-01T00:0%s:00Z","message":{"role":"user","content":"%s"}}\n' \
    "$1" "$1" "$2" >>"$HOME/.claude/projects/-w/00000000-0000-4000-8000-000000000001.jsonl"
}
asks() {
  printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"try","version":"1"}}}' \
    '{"jsonrpc":"2.0","method":"notifications/initialized"}' '{"jsonrpc":"2.0","id":2,"method":"tools/list"}' | "$memd" --stdio | grep -q semantic_search
}
finds() { "$memd" search "$1" --all-projects | grep -q "$1"; }
# A running daemon polls every 5 s.
finds_soon() {
  for _ in 1 2 3 4 5 6 7 8 9 10 11 12; do
    finds "$1" && return
    sleep 1
  done
  return 1
}
one_user() { [ "$(stat -f %Lp "$1")" = 600 ]; }
any_socket() { find "$work" "${TMPDIR:-/tmp}" -name 'memd*.sock' -type s -user "$(id -u)" 2>/dev/null | head -n 1; }

printf 'memd on macOS %s, %s, %s\n' "$(sw_vers -productVersion)" "$(uname -m)" "$(sysctl -n machdep.cpu.brand_string)"
check "unpacks" tar -xzf "$tarball" -C "$work" --strip-components=1
memd=$work/bin/memd
check "signature" codesign --verify --verbose "$memd"
check "libraries: the system's only" bash -c "[ \"\$(otool -L '$memd' | grep -c dylib)\" = 1 ]"
check "starts" "$memd" --version
{ time "$memd" --version >/dev/null; } 2>&1 | grep real
turn 1 "Why does the parcel test fail?"
check "reads a history, and finds its network" "$memd" ingest --once --second-look
check "finds words" finds parcel
check "finds a meaning" bash -c "'$memd' search 'package check broken' --all-projects | grep -q parcel"
check "answers over MCP; the daemon starts" asks
check "its socket is the user's alone" one_user "$(any_socket)"
turn 2 "The lighthouse keeper counts gulls"
check "the daemon sees what is appended" finds_soon lighthouse
check "doctor" "$memd" doctor
check "writes a memory" "$memd" memory write --help
check "Russian words" bash -c "'$memd' search 'тесты' --all-projects"
check "places of clients" "$memd" setup --dry-run claude-code cursor
if [ "$launchd" = --launchd ]; then
  check "the agent of launchd" "$memd" setup service
  check "launchd knows it" launchctl print "gui/$(id -u)/dev.memd"
fi
check "uninstalls" "$memd" uninstall --data
check "nothing is left" bash -c "[ -z \"\$(find '$HOME' -type f ! -name '*.jsonl')\" ]"
printf '%d passed, %d failed\n' $passed $failed
[ $failed -eq 0 ]
