#!/usr/bin/env bash
# Installs the clients of package-lock.json, once for each state of that file.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
stamp=node_modules/.installed-for
state=$(sha256sum package-lock.json)
[ "$(cat $stamp 2>/dev/null || true)" != "$state" ] || exit 0
# An unwritable home has no place for npm's cache.
if ! mkdir -p "${HOME:-/nonexistent}/.npm" 2>/dev/null; then export npm_config_cache=$PWD/../../build/npm-cache; fi
npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
printf '%s\n' "$state" >$stamp
