#!/bin/sh
# Compiler launcher of the preset check: check_only.sh [CCACHE] COMPILER ARGUMENT... reads a source for its errors and warnings
# and makes no code, which halves the time. The object file says so in a word, for the build system to see and for ccache to
# keep: ccache takes this script for the compiler, and so knows a source that it has seen checked.
if [ -z "${MEMD_CHECKED_BY:-}" ]; then
  case $1 in
    *ccache)
      ccache=$1 MEMD_CHECKED_BY=$2
      export MEMD_CHECKED_BY
      shift 2
      exec "$ccache" "$0" "$@"
      ;;
  esac
  MEMD_CHECKED_BY=$1
  shift
fi
object=
previous=
for argument; do
  case $argument in
    c++-header | -E) exec "$MEMD_CHECKED_BY" "$@" ;; # a precompiled header is needed whole
  esac
  [ "$previous" != -o ] || object=$argument
  previous=$argument
done
# clang says that -fsyntax-only leaves -c unused.
"$MEMD_CHECKED_BY" "$@" -fsyntax-only -Wno-unused-command-line-argument && echo checked >"$object"
