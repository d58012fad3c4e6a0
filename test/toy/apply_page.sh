#!/bin/sh
# Applies the diff that a page of the documentation holds to copies of files: apply_page.sh PAGE TREE SOURCE FILE...
# The copies of SOURCE/FILE and the files that the diff adds are then in TREE.
set -eu
page=$1 tree=$2 source=$3
shift 3
rm -rf "$tree"
for file; do
  mkdir -p "$tree/$(dirname "$file")"
  cp "$source/$file" "$tree/$file"
done
cd "$tree"
# Not the repository that the build folder lies in: git would look for the files there.
GIT_CEILING_DIRECTORIES=$(dirname "$(pwd -P)")
export GIT_CEILING_DIRECTORIES
sed -n '/^```diff/,/^```/{/^```/!p;}' "$page" | git apply || {
  echo "$page: its diff does not apply any more. Put its lines right." >&2
  exit 1
}
