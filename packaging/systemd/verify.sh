#!/usr/bin/env bash
# Verifies the units. systemd-analyze exits with 0 for unknown keys, so any output on stderr is a failure.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# systemd-analyze also checks that the program exists.
mkdir -p "$work/run"
cp "$here/memd.socket" "$work/"
sed "s|%h/.local/bin/memd|$(command -v true)|" "$here/memd.service" >"$work/memd.service"
# Verifies the units with their drop-ins.
mkdir "$work/memd.service.d"
cp "$here/memories.conf" "$here/network.conf" "$work/memd.service.d/"
said=$(XDG_RUNTIME_DIR=$work/run systemd-analyze --user verify "$work/memd.service" "$work/memd.socket" 2>&1) || {
  printf '%s\n' "$said"
  exit 1
}
printf '%s' "$said"
[ -z "$said" ]
rm -r "$work/memd.service.d"
# The exposure of the service, from 0 to 10; at most 3.0.
systemd-analyze security --offline=true --threshold=30 --no-pager "$work/memd.service"
