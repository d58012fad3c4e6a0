#!/bin/sh
# Compiler launcher of the preset check: check_only.sh [LAUNCHER...] COMPILER ARGUMENT... reads a source for its errors and
# warnings and makes no code, which halves the time. The object file is left empty, for the build system to see.
object=
previous=
for argument; do
  [ "$argument" != c++-header ] || exec "$@" # a precompiled header is needed whole
  [ "$previous" != -o ] || object=$argument
  previous=$argument
done
"$@" -fsyntax-only && : >"$object"
