#!/usr/bin/env bash
# Installs the Debian/Ubuntu packages memd needs: install-deps.sh PROFILE... with PROFILE build, grpc, package, test, agents or fuzz.
# Queries dpkg first: if nothing is missing, it needs neither root nor the network.
set -euo pipefail

readonly boost_minimum=1.81
readonly cmake_minimum=3.25

say() { printf '%s\n' "$*" >&2; }
die() {
  say "install-deps: $*"
  exit 1
}

installed() { [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }
offered() {
  local candidate
  candidate=$(LC_ALL=C apt-cache policy "$1" 2>/dev/null | sed -n 's/^  Candidate: //p')
  [ -n "$candidate" ] && [ "$candidate" != '(none)' ]
}
have() { command -v "$1" >/dev/null 2>&1; }

# --- what is asked for ---------------------------------------------------------------------------------------------

required=()
optional=() # installed if available: they speed up the build or enable a check
want_boost=no
want_clang_format=no
want_clang=no # "yes", or "if offered"

profile_build() {
  required+=(g++ cmake ninja-build pkg-config python3 libsimdjson-dev libfmt-dev libspdlog-dev libcli11-dev libyaml-cpp-dev
    libsqlite3-dev libzstd-dev libxxhash-dev libssl-dev libstemmer-dev libsodium-dev libutf8proc-dev
    libncurses-dev)
  optional+=(ccache lld libpq-dev)
  want_boost=yes
}

profile_grpc() { required+=(libgrpc++-dev libprotobuf-dev protobuf-compiler protobuf-compiler-grpc); } # MEMD_WITH_GRPC

profile_agents() { # test/real_agents
  required+=(ca-certificates python3 git tmux)
  have node || required+=(nodejs)
  have npm || required+=(npm)
}

profile_test() {
  profile_agents
  required+=(libgtest-dev libgmock-dev less bash-completion man-db)
  optional+=(postgresql pgbouncer chromium zsh fish) # Ubuntu has chromium as a snap only
  want_clang_format=yes
  want_clang='if offered' # checks sources and builds with ThreadSanitizer in less time than g++
}

profile_package() { required+=(dpkg-dev); } # lists the libraries that a program is linked with

profile_fuzz() { want_clang=yes; }

[ $# -gt 0 ] || die "usage: install-deps.sh build|grpc|package|test|agents|fuzz ..."
for profile in "$@"; do
  case $profile in
    build) profile_build ;;
    grpc) profile_grpc ;;
    package) profile_package ;;
    test) profile_test ;;
    agents) profile_agents ;;
    fuzz) profile_fuzz ;;
    *) die "unknown profile '$profile' (build, grpc, package, test, agents, fuzz)" ;;
  esac
done
have dpkg-query || die "only Debian and Ubuntu are known here. Install by hand: ${required[*]} and Boost >= $boost_minimum."

# --- packages whose name depends on the system ---------------------------------------------------------------------

boost_is_there() {
  local header=/usr/include/boost/version.hpp number
  [ -r $header ] || return 1
  number=$(sed -n 's/^#define BOOST_VERSION \([0-9]*\).*/\1/p' $header)
  [ "${number:-0}" -ge 108100 ] && compgen -G '/usr/lib/*/libboost_json.so' >/dev/null &&
    compgen -G '/usr/lib/*/libboost_url.so' >/dev/null
}

# The default Boost if it is new enough, else the newest versioned one.
boost_packages() {
  local candidate version
  candidate=$(LC_ALL=C apt-cache policy libboost-dev | sed -n 's/^  Candidate: //p')
  if dpkg --compare-versions "${candidate:-0}" ge $boost_minimum && offered libboost-json-dev; then
    echo libboost-dev libboost-json-dev libboost-url-dev
    return
  fi
  version=$(apt-cache search --names-only '^libboost-json1\.[0-9]+-dev$' |
    sed -n 's/^libboost-json\(1\.[0-9]*\)-dev .*/\1/p' | sort -V | tail -n 1)
  dpkg --compare-versions "${version:-0}" ge $boost_minimum || return 1
  echo "libboost$version-dev" "libboost-json$version-dev" "libboost-url$version-dev"
}

# Prints the newest version of clang that the package servers offer, 0 for none.
offered_clang() {
  { echo 0 && apt-cache search --names-only '^clang-[0-9]+$' | sed -n 's/^clang-\([0-9]*\) .*/\1/p'; } 2>/dev/null | sort -n | tail -n 1
}

clang_is_there() { "$(dirname "${BASH_SOURCE[0]}")/newest_clang.sh" >/dev/null; }

# --- install what is missing ---------------------------------------------------------------------------------------

missing=()
collect_missing() {
  local package
  missing=()
  for package in "${required[@]}"; do
    installed "$package" || missing+=("$package")
  done
  for package in "${optional[@]}"; do
    installed "$package" || ! offered "$package" || missing+=("$package")
  done
}

open_questions() {
  { [ $want_boost = yes ] && ! boost_is_there; } ||
    { [ $want_clang_format = yes ] && ! have clang-format-14 && { ! have apt-cache || offered clang-format-14; }; } ||
    { [ "$want_clang" = yes ] && ! clang_is_there; } ||
    { [ "$want_clang" = 'if offered' ] && ! clang_is_there && [ "$(offered_clang)" -ge 16 ]; }
}

as_root=()
find_root() {
  [ "$(id -u)" -eq 0 ] && return
  if have sudo; then
    as_root=(sudo)
    return
  fi
  die "these packages are missing and need root: ${missing[*]}
Run this as root, install sudo, or install them by hand."
}

collect_missing
if [ ${#missing[@]} -gt 0 ] || open_questions; then
  find_root
  export DEBIAN_FRONTEND=noninteractive
  apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=120 -q)
  say "install-deps: asking the package servers"
  "${apt[@]}" update >/dev/null || die "apt-get update failed: are the package servers reachable?"
  if [ $want_boost = yes ] && ! boost_is_there; then
    boost=$(boost_packages) || die "this system offers no Boost >= $boost_minimum"
    read -ra boost <<<"$boost"
    required+=("${boost[@]}")
  fi
  if [ $want_clang_format = yes ]; then
    if offered clang-format-14; then
      required+=(clang-format-14)
    else
      say "install-deps: clang-format-14 is not offered here; the format check will be skipped"
    fi
  fi
  if [ "$want_clang" != no ] && ! clang_is_there; then
    version=$(offered_clang)
    if [ "$version" -ge 16 ]; then
      required+=("clang-$version" "libclang-rt-$version-dev")
    elif [ "$want_clang" = yes ]; then
      die "fuzzing needs clang 16 or newer; the newest here is ${version/#0/none}"
    fi
  fi
  collect_missing
  if [ ${#missing[@]} -gt 0 ]; then
    say "install-deps: installing ${missing[*]}"
    "${apt[@]}" install -y --no-install-recommends "${missing[@]}" >/dev/null ||
      die "apt-get could not install: ${missing[*]}"
  fi
fi

if have cmake; then
  cmake_version=$(cmake --version | sed -n '1s/^cmake version //p')
  dpkg --compare-versions "$cmake_version" ge $cmake_minimum ||
    die "CMake >= $cmake_minimum is needed, $(command -v cmake) is $cmake_version"
fi
