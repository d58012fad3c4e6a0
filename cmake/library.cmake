# Several sources in one translation unit: what a source costs is mostly its headers, which a unit reads once. Not for
# daily work, where one changed source would compile ten, nor does it see that a source lacks an include.
option(MEMD_UNITY "Compile the sources of a library in groups (every preset but dev)" OFF)
cmake_host_system_information(RESULT memd_memory QUERY TOTAL_PHYSICAL_MEMORY)
cmake_host_system_information(RESULT memd_processors QUERY NUMBER_OF_LOGICAL_CORES)
math(EXPR memd_memory "${memd_memory} / ${memd_processors}")  # MiB for each processor
# With a sanitizer twice the bytes take a sixth less of CPU; the compiler then takes up to 3.3 GB. Many processors need many
# groups.
set(group_bytes 150000)
if(MEMD_SANITIZE)
  set(group_bytes 300000)
  if(memd_processors LESS_EQUAL 4 AND memd_memory GREATER 8000)
    set(group_bytes 600000)
  endif()
endif()
set(MEMD_UNITY_BYTES ${group_bytes} CACHE STRING "Of sources that one group holds at most")

find_program(CCACHE_PROGRAM ccache)
set(launcher)
if(CCACHE_PROGRAM)
  # Relative paths, so that a second clone finds what the first one compiled.
  set(launcher ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=true
               CCACHE_SLOPPINESS=pch_defines,time_macros)
  if(MEMD_UNITY)
    # The compiler tells what a source includes. Else each new source is preprocessed once more to know. A header that many
    # sources include is hashed once.
    list(APPEND launcher CCACHE_DEPEND=true CCACHE_INODECACHE=true)
  endif()
endif()
if(CCACHE_PROGRAM)
  list(APPEND launcher ${CCACHE_PROGRAM})
endif()
set(CMAKE_C_COMPILER_LAUNCHER ${launcher})
set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher})

find_program(LLD_PROGRAM NAMES ld.lld)
if(LLD_PROGRAM)
  add_link_options(-fuse-ld=lld)
endif()

if(MEMD_SANITIZE)
  add_compile_options(-fsanitize=${MEMD_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${MEMD_SANITIZE})
  if(MEMD_SANITIZE MATCHES address AND NOT APPLE)
    # AddressSanitizer's descriptions of globals are 1.8 million relocations: more than half of what each start takes.
    add_link_options($<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-no-pie>)
  endif()
  if(MEMD_SANITIZE MATCHES undefined)
    # A null pointer that is used AddressSanitizer reports as well; object-size and vptr find next to nothing in code
    # without placement tricks. Together they are a third of what compiling takes. Alignment is another quarter: only
    # the store reads numbers out of bytes (store/CMakeLists.txt).
    add_compile_options(-fno-sanitize=null,object-size,vptr,alignment)
  endif()
endif()

set(standard_headers
    <algorithm> <array> <charconv> <chrono> <cstdint> <cstring> <filesystem> <functional> <map> <memory> <mutex> <optional>
    <set> <span> <stop_token> <string> <string_view> <tuple> <unordered_map> <unordered_set> <utility> <variant> <vector>)

# memd_precompile(TARGET HEADER...): targets that name the same headers share one precompiled file, that of the first.
# Only for g++: Clang writes the path of the clone into such a file.
function(memd_precompile target)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    return()
  endif()
  string(MD5 key "${ARGN}")
  get_property(first GLOBAL PROPERTY memd_precompiled_${key})
  if(first)
    target_precompile_headers(${target} REUSE_FROM ${first})
  else()
    target_precompile_headers(${target} PRIVATE ${ARGN})
    set_property(GLOBAL PROPERTY memd_precompiled_${key} ${target})
  endif()
  # As ccache needs it.
  target_compile_options(${target} PRIVATE -fpch-preprocess)
endfunction()

# memd_unity(TARGET): groups the target's sources, neighbours first. Sources with options of their own and generated
# ones stay apart; options have to be set before. CMake's own groups name sources by absolute paths, so that a compiler
# cache takes the groups of a second clone for new ones.
function(memd_unity target)
  if(NOT MEMD_UNITY)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  list(SORT sources)
  set(number 0)
  set(bytes ${MEMD_UNITY_BYTES})
  foreach(source IN LISTS sources)
    get_filename_component(path ${source} ABSOLUTE)
    get_source_file_property(options ${source} COMPILE_OPTIONS)
    get_source_file_property(apart ${source} SKIP_UNITY_BUILD_INCLUSION)
    if(options OR apart OR NOT EXISTS ${path} OR NOT path MATCHES "[.]cpp$")
      continue()
    endif()
    file(SIZE ${path} size)
    math(EXPR bytes "${bytes} + ${size}")
    if(bytes GREATER MEMD_UNITY_BYTES)
      math(EXPR number "${number} + 1")
      set(bytes ${size})
    endif()
    file(RELATIVE_PATH name ${PROJECT_SOURCE_DIR} ${path})
    string(APPEND group_${number} "#include \"${name}\"\n")
    list(REMOVE_ITEM sources ${source})
  endforeach()
  if(number EQUAL 0)
    return()
  endif()
  foreach(group RANGE 1 ${number})
    set(file ${CMAKE_CURRENT_BINARY_DIR}/groups/${target}_${group}.cpp)
    file(CONFIGURE OUTPUT ${file} CONTENT "${group_${group}}" @ONLY)
    list(APPEND sources ${file})
  endforeach()
  set_target_properties(${target} PROPERTIES SOURCES "${sources}")
endfunction()

# memd_drop_other_systems(LIST): takes the sources of other systems, such as name_macos.cpp, out of a list.
macro(memd_drop_other_systems list)
  set(other macos)
  if(APPLE)
    set(other linux)
  endif()
  list(FILTER ${list} EXCLUDE REGEX "_${other}[.]cpp$")
endmacro()

# g++ spends a tenth of its time on collecting garbage unless it may keep about 2.5 GB.
set(memd_compiler_memory)
if(memd_memory GREATER 4000)
  set(memd_compiler_memory --param=ggc-min-heapsize=1048576)
endif()

# Settings every target of ours shares.
function(memd_target_settings target)
  target_include_directories(${target} PUBLIC ${PROJECT_SOURCE_DIR})
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
                                           -Woverloaded-virtual
                                           "$<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized;${memd_compiler_memory}>"
                                           $<$<CXX_COMPILER_ID:Clang>:-Wno-deprecated-declarations>)  # of libstdc++ 12 itself
  if(MEMD_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  if(MEMD_UNITY)  # g++ takes every class of a grouped source for one of a header; what another source declares may be shadowed
    target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage> -Wno-error=shadow)
  endif()
endfunction()

# A folder's static library. Every header has to compile by itself: a source includes that of its name first, and the target
# all_verify_interface_header_sets compiles those without one.
function(memd_library target)
  memd_target_settings(${target})
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.hpp)
  # A folder with a library of its own may need packages that are not there.
  file(GLOB_RECURSE libraries CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*/CMakeLists.txt)
  foreach(library IN LISTS libraries)
    cmake_path(GET library PARENT_PATH folder)
    file(GLOB_RECURSE others CONFIGURE_DEPENDS ${folder}/*.hpp)
    list(REMOVE_ITEM headers ${others})
  endforeach()
  foreach(header IN LISTS headers)
    string(REGEX REPLACE "hpp$" "cpp" source ${header})
    if(EXISTS ${source})
      list(REMOVE_ITEM headers ${header})
    endif()
  endforeach()
  target_sources(${target} PUBLIC FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR} FILES ${headers})
  memd_unity(${target})
  set_target_properties(${target} PROPERTIES VERIFY_INTERFACE_HEADER_SETS ON)
endfunction()
