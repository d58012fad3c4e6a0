#!/usr/bin/env bash
# Installs a .deb into a separate root with dpkg, runs its program, upgrades it, removes it, and checks what is left:
# try_deb.sh PACKAGE.deb
set -euo pipefail
deb=$(realpath "${1:?which package}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=$work/root
mkdir -p "$root/var/lib/dpkg/info" "$root/var/lib/dpkg/updates" "$work/home/.claude/projects/-w" "$work/home/.cursor"
: >"$root/var/lib/dpkg/status"

# The dependencies are installed on this machine, but dpkg's database of that root does not list them.
in_root() {
  dpkg --root="$root" --force-not-root --force-depends --force-bad-path --no-triggers --log="$work/dpkg.log" "$@" >"$work/said" 2>&1 || {
    cat "$work/said" >&2
    return 1
  }
}
fail() {
  printf 'try_deb: %s\n' "$*" >&2
  exit 1
}

in_root --install "$deb"
memd=$root/usr/bin/memd
[ -x "$memd" ] || fail "there is no /usr/bin/memd"

cat >"$work/home/.claude/projects/-w/00000000-0000-4000-8000-000000000001.jsonl" <<'JSON'
{"type":"user","uuid":"u","sessionId":"00000000-0000-4000-8000-000000000001","cwd":"/w","timestamp":"2026-03-01T00:00:00Z","message":{"role":"user","content":"Why does the parcel test fail?"}}
JSON
printf '{}\n' >"$work/home/.cursor/mcp.json"
export HOME=$work/home XDG_DATA_HOME=$work/home/.local/share XDG_CONFIG_HOME=$work/home/.config XDG_RUNTIME_DIR=$work/none
"$memd" --json ingest --once --second-look >"$work/ingested"
"$memd" sessions --all-projects >"$work/sessions" 2>/dev/null || "$memd" sessions >"$work/sessions"
grep -q 'parcel test' "$work/sessions" || fail "the session is not found"
"$memd" setup cursor >"$work/setup"
grep -q "$memd" "$HOME/.cursor/mcp.json" || fail "setup did not register"
# A client of the protocol: the daemon starts, answers, and is replaced by an upgrade of the package.
request='{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"try_deb","version":"1"}}}'
printf '%s\n' "$request" | "$memd" --stdio >"$work/answer" 2>"$work/errors"
grep -q '"serverInfo"' "$work/answer" || fail "no answer to initialize: $(cat "$work/errors")"
in_root --install "$deb" # an upgrade while a daemon runs
"$memd" restart >"$work/restarted"
grep -q ' runs (pid ' "$work/restarted" || fail "no restart: $(cat "$work/restarted")"
"$memd" uninstall --data >"$work/uninstalled"
[ ! -e "$XDG_DATA_HOME/memd" ] || fail "the store is left"
[ "$(cat "$HOME/.cursor/mcp.json")" = '{}' ] || fail "Cursor's file is not as it was"
in_root --purge memd
left=$(find "$root" -path "$root/var/lib/dpkg" -prune -o \( -type f -o -type l \) -print)
[ -z "$left" ] || fail "left behind: $left"
printf 'installed, used, upgraded and removed; nothing is left\n'
