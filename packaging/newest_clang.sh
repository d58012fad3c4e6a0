#!/usr/bin/env bash
# Prints the newest clang++ of version 16 or later that is installed ("clang++-19"); fails if there is none.
set -euo pipefail
newest=$(compgen -c clang++- | sed -n 's/^clang++-\([0-9]\{2,\}\)$/\1/p' | sort -n | tail -n 1)
[ "${newest:-0}" -ge 16 ] && printf 'clang++-%s\n' "$newest"
