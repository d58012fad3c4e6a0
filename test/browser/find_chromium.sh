#!/usr/bin/env bash
# Prints the path of Chromium; fails if none starts (Ubuntu's package is only a stub for its snap).
set -euo pipefail
for browser in "${CHROMIUM:-}" chromium chromium-browser google-chrome; do
  [ -n "$browser" ] && path=$(command -v "$browser") || continue
  if "$path" --version >/dev/null 2>&1; then
    printf '%s\n' "$path"
    exit
  fi
done
exit 1
