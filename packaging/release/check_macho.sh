#!/usr/bin/env bash
# Fails unless a program for macOS starts on version 13 and needs nothing but what the system's own library has there:
# check_macho.sh PROGRAM LIBSYSTEM.TBD
set -euo pipefail
program=${1:?which program}
stub=${2:?the stub of libSystem}
here=$(dirname "${BASH_SOURCE[0]}")
# shellcheck source=packaging/release/common.sh
. "$here/common.sh"
objdump=$(llvm objdump)
commands=$("$objdump" --macho --private-headers "$program")
fail() { die "$program: $1"; }
grep -qE '^ *minos 13[.]0$' <<<"$commands" || fail "it is not for macOS 13.0: $(grep -E 'minos|sdk' <<<"$commands" | xargs)"
libraries=$("$objdump" --macho --dylibs-used "$program" | tail -n +2 | awk '{print $1}')
[ "$libraries" = /usr/lib/libSystem.B.dylib ] || fail "it needs $(xargs <<<"$libraries")"
if grep -q ARM64 <<<"$commands" || grep -q LC_CODE_SIGNATURE <<<"$commands"; then
  "$here/check_signature.py" "$program"
fi
imports=$("$objdump" --macho --bind --lazy-bind "$program" | awk '/^__/ {print $NF}' | LC_ALL=C sort -u)
[ -n "$imports" ] || fail "it imports nothing that can be read"
newer=$(grep -oE "[A-Za-z0-9_\$]+" "$stub" | LC_ALL=C sort -u | LC_ALL=C comm -13 - <(echo "$imports"))
[ -z "$newer" ] || fail "macOS 13 has not: $(xargs <<<"$newer")"
