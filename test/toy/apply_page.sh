#!/bin/sh
# Applies the diff in a page of the documentation to copies of files: apply_page.sh PAGE TREE SOURCE FILE...
# TREE then contains the changed copies of SOURCE/FILE and the files that the diff adds.
set -eu
page=$1 tree=$2 source=$3
shift 3
rm -rf "$tree"
for file; do
  mkdir -p "$tree/$(dirname "$file")"
  cp "$source/$file" "$tree/$file"
done
cd "$tree"
# Ignores the repository that contains the build folder: git would look for the files there.
GIT_CEILING_DIRECTORIES=$(dirname "$(pwd -P)")
export GIT_CEILING_DIRECTORIES
sed -n '/^```diff/,/^```/{/^```/!p;}' "$page" | git apply || {
  echo "$page: its diff does not apply any more. Put its lines right." >&2
  exit 1
}
