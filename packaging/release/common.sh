# shellcheck shell=bash disable=SC2034
# Read by the scripts beside it: where a release is built, the compiler and the targets.
shopt -s inherit_errexit
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
cache=${MEMD_RELEASE_CACHE:-${XDG_CACHE_HOME:-${HOME:?}/.cache}/memd-release}
mirror=${MEMD_RELEASE_MIRROR:-http://deb.debian.org}
jobs=${MEMD_JOBS:-$(nproc)}
version=$(sed -n 's/^project(memd VERSION \([^ ]*\).*/\1/p' "$root/CMakeLists.txt")
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -C "$root" log -1 --format=%ct 2>/dev/null || echo 0)}
export SOURCE_DATE_EPOCH ZIG_GLOBAL_CACHE_DIR=$cache/zig-cache ZIG_LOCAL_CACHE_DIR=$cache/zig-cache
export CCACHE_COMPILERCHECK=content # the compilers are scripts, which are written anew
all_targets=(linux-x86_64 linux-arm64 macos-arm64 macos-x86_64)

say() { printf 'release: %s\n' "$*"; }
die() {
  printf 'release: %s\n' "$*" >&2
  exit 1
}

# The compiler's name for a target.
triple() {
  case $1 in
    linux-x86_64) echo x86_64-linux-musl ;;
    linux-arm64) echo aarch64-linux-musl ;;
    macos-arm64) echo aarch64-macos.13.0 ;;
    macos-x86_64) echo x86_64-macos.13.0 ;;
    *) die "there is no target $1, only ${all_targets[*]}" ;;
  esac
}

# llvm NAME: prints where that program of LLVM is.
llvm() { command -v "llvm-$1" || find /usr/bin -name "llvm-$1-*" | sort -V | tail -n 1; }

# built TARGET ON|OFF NAME...: makes the libraries, builds these targets of CMake, with tests or without, and prints where
built() {
  local build=$cache/build-$1 log=$cache/build-$1.log
  "$root/packaging/release/libraries.sh" "$1" "$([ "$2" = OFF ] || echo test)" >&2
  export MEMD_RELEASE_PREFIX=$cache/$1 MEMD_RELEASE_TARGET=$1
  cmp -s "$build/key" "$MEMD_RELEASE_PREFIX/key" || rm -rf "$build"
  mkdir -p "$build"
  { # larger groups than the preset's are compiled sooner
    cmake -S "$root" -B "$build" --preset release --toolchain "$root/packaging/release/toolchain.cmake" -DMEMD_BUILD_TESTS="$2" \
      -DMEMD_NETWORK_APART="$([ "$2" = ON ] && echo OFF || echo ON)" -DMEMD_BUILD_BENCH=OFF -DMEMD_WITH_POSTGRES=OFF -DMEMD_UNITY_BYTES=300000 &&
      cp "$MEMD_RELEASE_PREFIX/key" "$build/key" &&
      cmake --build "$build" --parallel "$jobs" --target "${@:3}"
  } >"$log" 2>&1 || {
    tail -n 40 "$log" >&2
    die "memd cannot be built for $1; the log is $log"
  }
  echo "$build"
}
