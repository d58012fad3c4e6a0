#!/usr/bin/env bash
# Makes the compiler and the static libraries of one target, once: libraries.sh TARGET [test]
# With `test` also what tests need.
set -euo pipefail
# shellcheck source=packaging/release/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
here=$root/packaging/release
target=${1:?which target}
triple=$(triple "$target")
prefix=$cache/$target
work=$prefix/work
sources=$cache/sources
tables=("$here/sources.tsv")
[ "${2:-}" != test ] || tables+=("$here/test_sources.tsv")
export SOURCE_DATE_EPOCH=0 # they stay for the next release
mkdir -p "$work" "$sources" "$prefix"/{bin,include,made,licences,lib/pkgconfig}

# --- the compiler --------------------------------------------------------------------------------------------------

zig=$cache/zig-$(sha256sum <"$here/zig.txt" | cut -c1-12)
if [ ! -d "$zig" ]; then
  python3 -m pip install --quiet --disable-pip-version-check --no-compile --require-hashes --no-deps --target "$zig.new" -r "$here/zig.txt"
  mv "$zig.new" "$zig"
fi
# Named so that a compiler cache knows their kind. No path of this machine gets into the program. Whether it optimises and strips is
# the same in each call: with other flags, also those of a ./configure, the compiler builds libc and libc++ anew. Without
# optimisation, as tests are compiled, it would add UndefinedBehaviorSanitizer.
make_compiler() {
  local tool flags
  for tool in clang:cc clang++:c++ ar:ar ranlib:ranlib; do
    flags=
    case $tool in clang*) flags="-target $triple -O2 -s -ffunction-sections -fdata-sections -fno-sanitize=undefined -ffile-prefix-map=$root=. -ffile-prefix-map=$cache=/" ;; esac
    printf '#!/bin/sh\nexec "%s/ziglang/zig" %s %s "$@"\n' "$zig" "${tool#*:}" "$flags" >"$prefix/bin/${tool%:*}"
    chmod +x "$prefix/bin/${tool%:*}"
  done
}
make_compiler
# What the system library of macOS 13 has, for check_macho.sh: the compiler's own stub is of a later one.
if [[ $target == macos-* ]] && [ ! -f "$prefix/libSystem.tbd" ]; then
  python3 -m pip download --quiet --disable-pip-version-check --require-hashes --no-deps --dest "$work" -r "$here/macos.txt"
  python3 -m zipfile -e "$work"/ziglang-*.whl "$work/stubs"
  mv "$work/stubs/ziglang/lib/libc/darwin/libSystem.13.tbd" "$prefix/libSystem.tbd"
fi
ccache=$(command -v ccache || true)
cc="${ccache:+$ccache }$prefix/bin/clang"
no_unwinding='-fno-unwind-tables -fno-asynchronous-unwind-tables' # of C: no exception passes through it

# --- sources -------------------------------------------------------------------------------------------------------

row_of() { cat "${tables[@]}" | grep "^$1	"; }

# fetch PATH SHA256: to $sources
fetch() {
  local file=$sources/${1##*/}
  [ -f "$file" ] || curl --fail --silent --show-error --location --output "$file" "$mirror/$1"
  echo "$2  $file" | sha256sum --check --quiet || {
    rm "$file"
    die "$file is not what sources.tsv names"
  }
}

# tree_of NAME: what makes the tree of a source
tree_of() { row_of "$1" && declare -f extract && { declare -f "prepare_$1" || true; }; }

# unpacked NAME: a fresh tree of that source, in $work/NAME. What all targets have in common is made once.
unpacked() {
  local sum path tree
  IFS=$'\t' read -r _ _ _ sum path < <(row_of "$1") || die "sources.tsv does not name $1"
  tree=$cache/trees/$1-$(tree_of "$1" | sha256sum | cut -c1-12)
  if [ ! -d "$tree" ]; then
    rm -rf "$tree.new"
    mkdir -p "$cache/trees"
    fetch "$path" "$sum"
    extract "$1" "$path" "$tree.new"
    if declare -F "prepare_$1" >/dev/null; then
      (cd "$tree.new" && "prepare_$1") >"$tree.log" 2>&1 || die "$1 cannot be prepared; the log is $tree.log"
    fi
    mv "$tree.new" "$tree"
  fi
  rm -rf "${work:?}/$1"
  cp -r "$tree" "$work/$1"
}

# extract NAME PATH TREE
extract() {
  local sum file
  case $2 in
    *.dsc)
      while read -r sum _ file; do
        fetch "${2%/*}/$file" "$sum"
      done < <(sed -n '/^Checksums-Sha256:/,/^[^ ]/s/^ //p' "$sources/${2##*/}" | grep -v '[.]asc$')
      if [ "$1" = boost1.81 ]; then # 46,000 files, of which the headers and three libraries are wanted
        mkdir "$3"
        tar -xf "$sources"/boost1.81_*.orig.tar.xz -C "$3" --strip-components=1 --wildcards 'boost/libs/*/include' \
          boost/libs/{json,url,container}/src boost/LICENSE_1_0.txt
      else
        dpkg-source --no-check --extract "$sources/${2##*/}" "$3" >/dev/null 2>&1 || die "$1 cannot be unpacked"
      fi
      ;;
    *) mkdir "$3" && tar -xf "$sources/${2##*/}" -C "$3" --strip-components=1 ;;
  esac
}

prepare_sqlite3() { ./configure && make sqlite3.c sqlite3.h; }
prepare_snowball() { # writes the source of the one stemmer
  echo 'russian UTF_8 russian,ru,rus' >libstemmer/modules.txt
  make CC=gcc CFLAGS=-O0 libstemmer.a
}

# archive LIBRARY FLAG... -- SOURCE...: compiles the sources into lib/libLIBRARY.a
archive() {
  local name=$1 flags=() objects=() source
  shift
  while [ "$1" != -- ]; do flags+=("$1") && shift; done
  shift
  mkdir -p "$work/objects/$name"
  for source in "$@"; do
    objects+=("$work/objects/$name/$(tr / _ <<<"${source#"$work"/}").o")
  done
  for source in "$@"; do
    local compiler="$cc $no_unwinding"
    case $source in *.cpp | *.cc) compiler="${ccache:+$ccache }$prefix/bin/clang++ -std=c++20" ;; esac
    printf '%s -O2 -DNDEBUG -fPIC -w' "$compiler"
    printf ' %q' "${flags[@]}" -c "$source" -o "$work/objects/$name/$(tr / _ <<<"${source#"$work"/}").o"
    echo
  done | xargs -d '\n' -P "$jobs" -I{} bash -c '{}'
  rm -f "$prefix/lib/lib$name.a"
  "$prefix/bin/ar" rcsD "$prefix/lib/lib$name.a" "${objects[@]}"
}

# package NAME VERSION LIBS: a pkg-config file
package() {
  printf 'Name: %s\nDescription: %s\nVersion: %s\nCflags: -I%s/include\nLibs: -L%s/lib %s\n' "$1" "$1" "$2" "$prefix" "$prefix" "$3" >"$prefix/lib/pkgconfig/$1.pc"
}

# config NAME VERSION (TARGET ARCHIVE DEFINITION)...: what find_package(NAME) reads; an empty archive: headers only
config() {
  local directory=$prefix/lib/cmake/$1 file=$prefix/lib/cmake/$1/$1Config.cmake
  mkdir -p "$directory"
  printf 'set(PACKAGE_VERSION %s)\nset(PACKAGE_VERSION_COMPATIBLE TRUE)\n' "$2" >"$directory/$1ConfigVersion.cmake"
  : >"$file"
  shift 2
  while [ $# -gt 0 ]; do
    {
      if [ -n "$2" ]; then
        printf 'add_library(%s STATIC IMPORTED)\nset_target_properties(%s PROPERTIES IMPORTED_LOCATION "%s/lib/%s"' "$1" "$1" "$prefix" "$2"
      else
        printf 'add_library(%s INTERFACE IMPORTED)\nset_target_properties(%s PROPERTIES' "$1" "$1"
      fi
      printf ' INTERFACE_INCLUDE_DIRECTORIES "%s/include" INTERFACE_COMPILE_DEFINITIONS "%s")\n' "$prefix" "$3"
    } >>"$file"
    shift 3
  done
}

# --- libraries -----------------------------------------------------------------------------------------------------

make_boost1.81() {
  cp -r "$work"/boost1.81/libs/*/include/. "$prefix/include"
  cp -r "$work"/boost1.81/libs/numeric/*/include/. "$prefix/include"
  local libs=$work/boost1.81/libs
  archive boost_json -I"$prefix/include" -- "$libs/json/src/src.cpp"
  archive boost_url -I"$prefix/include" -- "$libs/url/src/src.cpp"
  archive boost_container -I"$prefix/include" -- \
    "$libs"/container/src/{global_resource,monotonic_buffer_resource,pool_resource,synchronized_pool_resource,unsynchronized_pool_resource}.cpp
  config Boost 1.81.0 Boost::headers "" "" Boost::container libboost_container.a "" Boost::json libboost_json.a "" Boost::url libboost_url.a ""
  echo 'set_property(TARGET Boost::json Boost::url PROPERTY INTERFACE_LINK_LIBRARIES Boost::container)' >>"$prefix/lib/cmake/Boost/BoostConfig.cmake"
}

make_simdjson() {
  cp "$work/simdjson/singleheader/simdjson.h" "$prefix/include"
  archive simdjson -I"$prefix/include" -- "$work/simdjson/singleheader/simdjson.cpp"
  config simdjson 3.0.1 simdjson::simdjson libsimdjson.a ""
}

make_fmtlib() {
  cp -r "$work/fmtlib/include/fmt" "$prefix/include"
  archive fmt -I"$prefix/include" -- "$work"/fmtlib/src/{format,os}.cc
  config fmt 9.1.0 fmt::fmt libfmt.a ""
}

make_spdlog() {
  cp -r "$work/spdlog/include/spdlog" "$prefix/include"
  # musl has no fstat64.
  sed -i 's/fstat64(fd/fstat(fd/; s/struct stat64 st/struct stat st/' "$prefix/include/spdlog/details/os-inl.h"
  config spdlog 1.10.0 spdlog::spdlog_header_only "" SPDLOG_FMT_EXTERNAL
  echo 'add_library(spdlog::spdlog ALIAS spdlog::spdlog_header_only)' >>"$prefix/lib/cmake/spdlog/spdlogConfig.cmake"
}

make_cli11() {
  cp -r "$work/cli11/include/CLI" "$prefix/include"
  config CLI11 2.1.2 CLI11::CLI11 "" ""
}

make_yaml-cpp() {
  cp -r "$work/yaml-cpp/include/yaml-cpp" "$prefix/include"
  archive yaml-cpp -I"$prefix/include" -- "$work"/yaml-cpp/src/*.cpp
  config yaml-cpp 0.7.0 yaml-cpp libyaml-cpp.a YAML_CPP_STATIC_DEFINE
}

make_sqlite3() {
  cp "$work"/sqlite3/sqlite3{,ext}.h "$prefix/include" 2>/dev/null || cp "$work"/sqlite3/{sqlite3.h,src/sqlite3ext.h} "$prefix/include"
  # As Debian builds it, but for UPDATE … LIMIT.
  archive sqlite3 -DSQLITE_SECURE_DELETE -DSQLITE_ENABLE_COLUMN_METADATA -DSQLITE_ENABLE_FTS3 -DSQLITE_ENABLE_DBSTAT_VTAB \
    -DSQLITE_ENABLE_STMTVTAB -DSQLITE_ENABLE_FTS3_TOKENIZER -DSQLITE_ENABLE_FTS3_PARENTHESIS -DSQLITE_ENABLE_FTS5 -DSQLITE_ENABLE_RTREE \
    -DSQLITE_ENABLE_MATH_FUNCTIONS -DSQLITE_SOUNDEX -DSQLITE_OMIT_LOOKASIDE -DSQLITE_ENABLE_UNLOCK_NOTIFY -DSQLITE_LIKE_DOESNT_MATCH_BLOBS \
    -DSQLITE_MAX_SCHEMA_RETRY=25 -DSQLITE_MAX_VARIABLE_NUMBER=250000 -DSQLITE_USE_URI -DSQLITE_THREADSAFE=1 -DHAVE_ISNAN -DHAVE_USLEEP \
    -DHAVE_FDATASYNC="$([[ $target == linux-* ]] && echo 1 || echo 0)" -- "$work/sqlite3/sqlite3.c"
  package sqlite3 3.40.1 -lsqlite3
}

make_libzstd() {
  local lib=$work/libzstd/lib assembly=()
  [[ $target != *x86_64 ]] || assembly=("$lib/decompress/huf_decompress_amd64.S")
  cp "$lib"/{zstd,zstd_errors,zdict}.h "$prefix/include"
  archive zstd -DXXH_NAMESPACE=ZSTD_ -DZSTD_MULTITHREAD -- "$lib"/{common,compress,decompress,dictBuilder}/*.c "${assembly[@]}"
  package libzstd 1.5.4 -lzstd
}

make_xxhash() {
  cp "$work"/xxhash/{xxhash,xxh3}.h "$prefix/include"
  archive xxhash -- "$work/xxhash/xxhash.c"
  package libxxhash 0.8.1 -lxxhash
}

make_utf8proc() {
  cp "$work/utf8proc/utf8proc.h" "$prefix/include"
  archive utf8proc -DUTF8PROC_STATIC -- "$work/utf8proc/utf8proc.c"
  package libutf8proc 2.8.0 -lutf8proc
}

make_openssl() { # for a client of TLS 1.2 and 1.3, random numbers and SHA-256
  local platform no
  no=(no-{shared,tests,module,engine,dso,legacy}
    no-{aria,async,bf,blake2,camellia,cast,cmp,cms,comp,ct,des,dsa,dtls,ec2m,gost,idea,md4,mdc2,multiblock,ocb,ocsp,psk,rc2,rc4,rfc3779,rmd160,scrypt}
    no-{seed,siphash,siv,sm2,sm3,sm4,srp,srtp,ts,ui-console,whirlpool})
  case $target in
    linux-x86_64) platform=linux-x86_64 ;;
    linux-arm64) platform=linux-aarch64 ;;
    macos-arm64) platform=darwin64-arm64-cc ;;
    macos-x86_64) platform=darwin64-x86_64-cc ;;
  esac
  (
    cd "$work/openssl"
    sed -i 's/mkbuildinf[.]pl "[^"]*"/mkbuildinf.pl "clang"/' crypto/build.info # else the library tells where its compiler was
    # What is called often is assembler.
    CC=$cc AR=$prefix/bin/ar RANLIB=$prefix/bin/ranlib CFLAGS="-Os $no_unwinding" ./Configure "$platform" "${no[@]}" --prefix=/usr --libdir=lib --openssldir=/etc/ssl
    make build_generated
    make -j "$jobs" libcrypto.a libssl.a
    make install_dev DESTDIR="$work/openssl-installed"
    cp -r "$work/openssl-installed/usr/include/openssl" "$prefix/include"
    cp "$work"/openssl-installed/usr/lib/lib{crypto,ssl}.a "$prefix/lib"
  ) >"$work/openssl.log" 2>&1
}

make_snowball() {
  cp "$work/snowball/include/libstemmer.h" "$prefix/include"
  archive stemmer -I"$work/snowball/include" -- "$work"/snowball/{runtime/api,runtime/utilities,libstemmer/libstemmer}.c "$work"/snowball/src_c/*.c
}

make_libsodium() { # its configure, which Debian's archive lacks, would link with one flag after the other
  local lib=$work/libsodium/src/libsodium version_header=$work/libsodium/src/libsodium/include/sodium/version.h
  sed 's/@VERSION@/1.0.18/; s/@SODIUM_LIBRARY_VERSION_MAJOR@/10/; s/@SODIUM_LIBRARY_VERSION_MINOR@/3/; s/@SODIUM_LIBRARY_MINIMAL_DEF@//' \
    "$version_header.in" >"$version_header"
  cp -r "$lib/include/." "$prefix/include"
  mapfile -t files < <(find "$lib" -name '*.c' | sort)
  archive sodium -I"$lib/include" -I"$lib/include/sodium" -DCONFIGURED=1 -DNATIVE_LITTLE_ENDIAN=1 -DHAVE_TI_MODE=1 -DHAVE_PTHREAD=1 -DHAVE_MMAP=1 \
    -DHAVE_MLOCK=1 -DHAVE_MPROTECT=1 -DHAVE_POSIX_MEMALIGN=1 -DHAVE_WEAK_SYMBOLS=1 -DHAVE_SYS_MMAN_H=1 -DHAVE_GETPID=1 -D_GNU_SOURCE -- "${files[@]}"
  package libsodium 1.0.18 -lsodium
}

make_ncurses() {
  local host=(--host=x86_64-unknown-linux-musl) termlib=tinfo
  case $target in macos-*) termlib=tinfow ;; esac # for Darwin the Makefile has no rule for the other name
  case $target in
    linux-arm64) host=(--host=aarch64-unknown-linux-musl) ;;
    macos-arm64) host=(--host=aarch64-apple-darwin22 --with-ospeed=unsigned) ;;
    macos-x86_64) host=(--host=x86_64-apple-darwin22 --with-ospeed=unsigned) ;;
  esac
  (
    cd "$work/ncurses"
    CC=$cc AR=$prefix/bin/ar RANLIB=$prefix/bin/ranlib CFLAGS='-O2 -fPIC' ./configure "${host[@]}" --prefix="$prefix" --enable-widec --with-termlib="$termlib" \
      --without-progs --without-ada --without-cxx --without-cxx-binding --without-tests --without-manpages --without-debug --disable-stripping --enable-overwrite \
      --with-fallbacks=xterm-256color,xterm,screen-256color,tmux-256color,linux,vt100 \
      --with-terminfo-dirs=/etc/terminfo:/lib/terminfo:/usr/share/terminfo --with-default-terminfo-dir=/usr/share/terminfo BUILD_CC=gcc BUILD_CFLAGS=-O0
    make -j "$jobs" libs
    make -C include install
    make -C ncurses install
    [ "$termlib" = tinfo ] || mv "$prefix/lib/lib$termlib.a" "$prefix/lib/libtinfo.a"
  ) >"$work/ncurses.log" 2>&1
  package ncursesw 6.4 '-lncursesw -ltinfo'
}

make_mimalloc() { # musl's own allocator is slow with threads
  [[ $target == linux-* ]] || return 0
  # mimalloc leaves out aligned_alloc(), from which libc++ takes exceptions.
  printf '#include "%s"\nvoid *aligned_alloc(size_t alignment, size_t size) { return mi_aligned_alloc(alignment, size); }\n' \
    "$work/mimalloc/src/static.c" >"$work/mimalloc/all.c"
  archive mimalloc -I"$work/mimalloc/include" -DMI_MALLOC_OVERRIDE -DMI_STATIC_LIB -fvisibility=hidden -ftls-model=initial-exec -fno-builtin-malloc -- "$work/mimalloc/all.c"
  # Named on the command line as an object, it goes before musl's.
  cp "$work"/objects/mimalloc/*.o "$prefix/lib/mimalloc.o"
}

make_googletest() {
  local googletest=$work/googletest/googletest googlemock=$work/googletest/googlemock
  cp -r "$googletest/include/gtest" "$googlemock/include/gmock" "$prefix/include"
  archive gmock -I"$prefix/include" -I"$googletest" -I"$googlemock" -- "$googletest/src/gtest-all.cc" "$googlemock/src/gmock-all.cc"
  archive gmock_main -I"$prefix/include" -- "$googlemock/src/gmock_main.cc"
  config GTest 1.12.1 GTest::gmock libgmock.a "" GTest::gtest_main libgmock_main.a ""
  echo 'set_property(TARGET GTest::gtest_main PROPERTY INTERFACE_LINK_LIBRARIES GTest::gmock)' >>"$prefix/lib/cmake/GTest/GTestConfig.cmake"
}

# made_of NAME: what tells whether a library must be made anew
made_of() {
  { cat "$here/zig.txt" && tree_of "$1" && echo "$no_unwinding" && declare -f make_compiler archive package config "make_$1"; } | sha256sum
}

made= # what is being built: a `|| die` behind the call would let it go on after an error
trap '[ -z "$made" ] || printf "release: %s could not be built; the logs are in %s\n" "$made" "$work" >&2' EXIT
while IFS=$'\t' read -r name version _; do
  [ "$(made_of "$name")" != "$(cat "$prefix/made/$name" 2>/dev/null)" ] || continue
  start=$SECONDS
  unpacked "$name"
  made=$name
  "make_$name"
  made=
  for file in "$work/$name"/debian/copyright "$work/$name"/LICENSE*; do
    if [ -f "$file" ]; then cp "$file" "$prefix/licences/$name.txt" && break; fi
  done
  rm -rf "${work:?}/$name"
  made_of "$name" >"$prefix/made/$name"
  say "$target: $name $version, $((SECONDS - start)) s"
done < <(cat "${tables[@]}" | grep -v '^#')
# What the program is made of, without the libraries of tests.
grep -v '^#' "$here/sources.tsv" | cut -f1 | (cd "$prefix/made" && xargs cat) >"$prefix/key"
rm -rf "$work"
