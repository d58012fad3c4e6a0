#!/usr/bin/env bash
# Prints where Chromium is; fails when there is none that starts (Ubuntu's package is a stand-in for its snap).
set -euo pipefail
for browser in "${CHROMIUM:-}" chromium chromium-browser google-chrome; do
  [ -n "$browser" ] && path=$(command -v "$browser") || continue
  if "$path" --version >/dev/null 2>&1; then
    printf '%s\n' "$path"
    exit
  fi
done
exit 1
