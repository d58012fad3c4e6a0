#!/usr/bin/env bash
# Packs memd for machines without a compiler: a .deb and a tarball, in build/packages. What install.sh built is used.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
packaging/install-deps.sh build package
packaging/build.sh
rm -rf build/packages
cpack --config build/install/CPackConfig.cmake -B build/packages >build/package.log || {
  tail -n 40 build/package.log >&2
  exit 1
}
rm -rf build/packages/_CPack_Packages

# Fails if a package lacks its program or its units, or if its program does not start.
deb=$(echo build/packages/*.deb)
tarball=$(echo build/packages/*.tar.gz)
listed=$(dpkg-deb --contents "$deb" | awk '{print $6}' | sort)
for file in ./usr/bin/memd ./usr/lib/systemd/user/memd.service ./usr/lib/systemd/user/memd.socket ./usr/share/doc/memd/copyright ./usr/share/doc/memd/models-license.txt; do
  grep -qxF "$file" <<<"$listed" || {
    printf '%s lacks %s\n' "$deb" "$file" >&2
    exit 1
  }
done
unpacked=$(mktemp -d)
trap 'rm -rf "$unpacked"' EXIT
dpkg-deb --extract "$deb" "$unpacked/deb"
mkdir "$unpacked/tarball"
tar -xzf "$tarball" -C "$unpacked/tarball"
grep -q '^ExecStart=/usr/bin/memd ' "$unpacked/deb/usr/lib/systemd/user/memd.service"
version=$("$unpacked/deb/usr/bin/memd" --version)
[ "$(find "$unpacked/tarball" -name memd -type f -exec {} --version \;)" = "$version" ]
packaging/try_deb.sh "$deb"
# The files for publishing elsewhere, with a placeholder address.
packaging/distribution/render.py --base-url https://example.invalid/memd --dist build/packages --out build/distribution
packaging/distribution/check.py build/distribution
printf '%s: %s\n' "$version" "$(echo build/packages/*)"
