#!/usr/bin/env bash
# Packs the tarballs in dist/ for package managers.
set -euo pipefail
# shellcheck source=packaging/release/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
cd "$root"
packaging/distribution/render.py --base-url "${MEMD_RELEASE_URL:-https://example.invalid/memd}" --dist dist --out dist
packaging/distribution/check.py dist

for architecture in amd64 arm64; do
  tarball=dist/memd-$version-linux-${architecture/amd64/x86_64}.tar.gz
  [ -f "$tarball" ] || continue
  tree=$cache/tree-$architecture
  rm -rf "$tree"
  mkdir -p "$tree"/DEBIAN "$tree/usr/lib/systemd/user"
  tar -xzf "$tarball" -C "$tree/usr" --strip-components=1
  sed 's|%h/.local/bin/memd|/usr/bin/memd|' packaging/systemd/memd.service >"$tree/usr/lib/systemd/user/memd.service"
  install -m 0644 packaging/systemd/memd.socket "$tree/usr/lib/systemd/user"
  cat >"$tree/DEBIAN/control" <<CONTROL
Package: memd
Version: $version
Architecture: $architecture
Maintainer: memd developers
Section: utils
Priority: optional
Installed-Size: $(du -sk --apparent-size "$tree/usr" | cut -f1)
Description: Memory for coding agents: one store, any agent, over MCP
 memd reads what coding agents leave on disk, keeps it in one local store and
 gives it back to any agent over the Model Context Protocol.
CONTROL
  chmod -R u=rwX,go=rX "$tree"
  dpkg-deb --build --root-owner-group -Zxz "$tree" "dist/memd_${version}_$architecture.deb" >/dev/null

  # Nothing is stripped, compressed or looked through anew, and the bytes do not tell when and where they were packed.
  processor=${architecture/amd64/x86_64}
  rpmbuild -bb --quiet --target "${processor/arm64/aarch64}-linux" --define "version $version" --define "tree $tree" --define "_topdir $tree/rpm" \
    --define "_rpmdir $root/dist" --define '_rpmfilename %{NAME}-%{VERSION}-%{RELEASE}.%{ARCH}.rpm' --define '__os_install_post %{nil}' \
    --define '_build_id_links none' --define '_buildhost localhost' --define 'use_source_date_epoch_as_buildtime 1' \
    --define 'clamp_mtime_to_source_date_epoch 1' --define '_binary_payload w6.xzdio' packaging/distribution/memd.spec >"$tree.log" 2>&1 ||
    die "no .rpm: $(cat "$tree.log")"
  rm -rf "$tree"
done
