#!/bin/sh
# Compiler launcher of the preset check: check_only.sh [CCACHE] COMPILER ARGUMENT... reads a source for its errors and warnings
# and makes no code, which halves the time. The object file says so in a word, for the build system to see and for ccache to
# keep: ccache takes this script for the compiler, and so knows a source that it has seen checked.

# Paths below the build directory are passed as relative ones: they then are the same in each clone.
check_with_ccache() {
  ccache=$1 MEMD_CHECKED_BY=$2
  export MEMD_CHECKED_BY
  shift 2
  for argument; do
    shift
    set -- "$@" "${argument#"$PWD"/}"
  done
  exec "$ccache" "$0" "$@"
}

# A precompiled header is needed whole. It names its clone, so ccache does not keep it and compares PRECOMPILED.sum instead,
# a checksum of the headers that it was made of.
precompile() {
  for argument; do
    case $previous in
      -o) precompiled=$argument ;;
      -MF) dependencies=$argument ;;
    esac
    previous=$argument
  done
  "$@" || exit
  sed '1s/^[^:]*://; s/\\$//' "$dependencies" | tr -s ' ' '\n' | sed '/^$/d' | xargs -d '\n' md5sum | cut -d ' ' -f 1 | sort |
    md5sum >"$precompiled.sum"
}

check() {
  for argument; do
    case $previous in
      -o) object=$argument ;;
    esac
    previous=$argument
  done
  # ccache asks for preprocessed text. clang says that -fsyntax-only leaves -c unused.
  case " $* " in
    *' -E '*) exec "$MEMD_CHECKED_BY" "$@" ;;
  esac
  "$MEMD_CHECKED_BY" "$@" -fsyntax-only -Wno-unused-command-line-argument && echo checked >"$object"
}

previous=
if [ -n "${MEMD_CHECKED_BY:-}" ]; then
  check "$@"
  exit
fi
case " $* " in
  *' c++-header '*)
    case $1 in
      *ccache) shift ;;
    esac
    precompile "$@"
    ;;
  *)
    case $1 in
      *ccache) check_with_ccache "$@" ;;
    esac
    MEMD_CHECKED_BY=$1
    shift
    check "$@"
    ;;
esac
