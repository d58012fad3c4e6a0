#!/usr/bin/env bash
# Fails unless a program for macOS starts on version 13 and needs nothing but the system's own library: check_macho.sh PROGRAM
set -euo pipefail
program=${1:?which program}
objdump=$(command -v llvm-objdump || find /usr/bin -name 'llvm-objdump-*' | sort -V | tail -n 1)
commands=$("$objdump" --macho --private-headers "$program")
fail() {
  printf '%s: %s\n' "$program" "$1" >&2
  exit 1
}
grep -qE '^ *minos 13[.]0$' <<<"$commands" || fail "it is not for macOS 13.0: $(grep -E 'minos|sdk' <<<"$commands" | xargs)"
libraries=$("$objdump" --macho --dylibs-used "$program" | tail -n +2 | awk '{print $1}')
[ "$libraries" = /usr/lib/libSystem.B.dylib ] || fail "it needs $(xargs <<<"$libraries")"
if grep -q ARM64 <<<"$commands" && ! grep -q LC_CODE_SIGNATURE <<<"$commands"; then
  fail "it has no signature, without which macOS does not start it"
fi
