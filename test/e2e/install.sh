#!/usr/bin/env bash
# Installs the packages of a folder's package-lock.json, once for each version of that file: install.sh FOLDER
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.." && cd "${1:?which folder}"
stamp=node_modules/.installed-for
state=$(sha256sum package-lock.json)
[ "$(cat $stamp 2>/dev/null || true)" != "$state" ] || exit 0
# If HOME is not writable, npm's cache needs another place.
if ! mkdir -p "${HOME:-/nonexistent}/.npm" 2>/dev/null; then export npm_config_cache=$OLDPWD/build/npm-cache; fi
npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
printf '%s\n' "$state" >$stamp
