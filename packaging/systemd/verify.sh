#!/usr/bin/env bash
# Verifies the units. systemd-analyze exits with 0 on keys it does not know: whatever it says on stderr is a failure.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# It also looks for the program.
mkdir -p "$work/run"
cp "$here/memd.socket" "$work/"
sed "s|%h/.local/bin/memd|$(command -v true)|" "$here/memd.service" >"$work/memd.service"
# With its drop-ins.
mkdir "$work/memd.service.d"
cp "$here/memories.conf" "$here/network.conf" "$work/memd.service.d/"
said=$(XDG_RUNTIME_DIR=$work/run systemd-analyze --user verify "$work/memd.service" "$work/memd.socket" 2>&1) || {
  printf '%s\n' "$said"
  exit 1
}
printf '%s' "$said"
[ -z "$said" ]
rm -r "$work/memd.service.d"
# What the service could do beyond its work, from 0 to 10; 3.0 at most.
systemd-analyze security --offline=true --threshold=30 --no-pager "$work/memd.service"
