#!/usr/bin/env bash
# Makes the pictures of this folder from a made-up history: make.sh MEMD
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
MEMD_BINARY=$(realpath "${1:?the memd binary}")
export MEMD_BINARY
test/e2e/install.sh test/browser
docs/images/usage_screens.py "$MEMD_BINARY"
exec node test/browser/make_pictures.mjs docs/images
