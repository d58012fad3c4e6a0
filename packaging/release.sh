#!/usr/bin/env bash
# Makes the files of a release in dist/: packaging/release.sh [TARGET...]. docs/release.md tells how, and what it needs.
set -euo pipefail
# shellcheck source=packaging/release/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/release/common.sh"
here=$root/packaging/release
dist=$root/dist
targets=("$@")
[ ${#targets[@]} -gt 0 ] || targets=("${all_targets[@]}")
for target in "${targets[@]}"; do triple "$target" >/dev/null; done
cd "$root"

# program TARGET: builds memd and prints its path
program() {
  local build
  build=$(built "$1" OFF memd)
  echo "$build/daemon/memd"
}

# The native program writes the manual and the completions of all.
native=$(program linux-x86_64)
told=$cache/told
rm -rf "$told"
mkdir -p "$told"/share/{man,bash-completion/completions,zsh/site-functions,fish/vendor_completions.d}
"$native" man --all "$told/share/man/man1" >/dev/null
"$native" completion bash >"$told/share/bash-completion/completions/memd"
"$native" completion zsh >"$told/share/zsh/site-functions/_memd"
"$native" completion fish >"$told/share/fish/vendor_completions.d/memd.fish"

mkdir -p "$dist"
for target in "${targets[@]}"; do
  name=memd-$version-$target
  stage=$cache/stage/$name
  rm -rf "$stage"
  mkdir -p "$stage"/bin "$stage/share/doc/memd/licences"
  program=$(program "$target")
  install -m 0755 "$program" "$stage/bin/memd"
  case $target in
    macos-*) # the compiler's linker keeps the names of what is not exported; llvm-strip signs anew
      "$(llvm strip)" --discard-all "$stage/bin/memd"
      "$here/check_macho.sh" "$stage/bin/memd" "$cache/$target/libSystem.tbd"
      ;;
    *) ! readelf --program-headers "$program" | grep -q INTERP || die "$program needs shared libraries" ;;
  esac
  cp -r "$(dirname "$program")/../lib" "$stage" # the network
  cp -r "$told/share" "$stage"
  install -m 0644 LICENSE "$stage/share/doc/memd/copyright"
  install -m 0644 packaging/model/LICENSE "$stage/share/doc/memd/models-license.txt"
  install -m 0644 packaging/third-party.txt README.md "$stage/share/doc/memd"
  install -m 0644 "$cache/$target"/licences/* "$stage/share/doc/memd/licences"
  chmod -R u=rwX,go=rX "$stage"
  tar --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner -C "$cache/stage" -cf - "$name" | gzip -9n >"$dist/$name.tar.gz"
  say "$dist/$name.tar.gz, $(stat -c %s "$stage/bin/memd") bytes unpacked"
done
"$here/sbom.py" "$version" <"$here/sources.tsv" >"$dist/memd-$version.cdx.json"
"$here/packages.sh"
(cd "$dist" && find . -type f ! -name 'SHA256SUMS*' -printf '%P\n' | LC_ALL=C sort | xargs sha256sum) >"$dist/SHA256SUMS"
# A key from outside: the name of one that gpg has.
if [ -n "${MEMD_RELEASE_KEY:-}" ]; then
  gpg --batch --yes --local-user "$MEMD_RELEASE_KEY" --armor --detach-sign "$dist/SHA256SUMS"
fi
say "$(wc -l <"$dist/SHA256SUMS") files in $dist"
