find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM)
  # Relative paths, so that a second clone finds what the first one compiled.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=true
                                  ${CCACHE_PROGRAM})
  set(CMAKE_C_COMPILER_LAUNCHER ${CMAKE_CXX_COMPILER_LAUNCHER})
endif()

find_program(LLD_PROGRAM NAMES ld.lld)
if(LLD_PROGRAM)
  add_link_options(-fuse-ld=lld)
endif()

if(MEMD_SANITIZE)
  add_compile_options(-fsanitize=${MEMD_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${MEMD_SANITIZE})
  if(MEMD_SANITIZE MATCHES undefined)
    # A null pointer that is used AddressSanitizer reports as well; the rest finds next to nothing in code without
    # placement tricks. Together they are a third of what compiling takes.
    add_compile_options(-fno-sanitize=null,object-size,vptr)
  endif()
endif()

# Settings every target of ours shares.
function(memd_target_settings target)
  target_include_directories(${target} PUBLIC ${PROJECT_SOURCE_DIR})
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
                                           -Woverloaded-virtual
                                           $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  if(MEMD_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
endfunction()

# A folder's static library. Its headers are checked to stand alone by the target all_verify_interface_header_sets.
function(memd_library target)
  memd_target_settings(${target})
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.hpp)
  target_sources(${target} PUBLIC FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR} FILES ${headers})
  set_target_properties(${target} PROPERTIES VERIFY_INTERFACE_HEADER_SETS ON)
endfunction()
