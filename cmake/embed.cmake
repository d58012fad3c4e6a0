# Embeds text files into a target as `const std::vector<EmbeddedFile>& memd::embedded::<NAME>()`, ordered by name.
function(memd_embed target)
  cmake_parse_arguments(arg "" "NAME" "FILES" ${ARGN})
  file(GLOB files CONFIGURE_DEPENDS ${arg_FILES})
  list(SORT files)
  set(out ${CMAKE_CURRENT_BINARY_DIR}/embedded_${arg_NAME}.cpp)
  add_custom_command(
    OUTPUT ${out}
    COMMAND ${CMAKE_COMMAND} -DOUT=${out} -DNAME=${arg_NAME} "-DFILES=${files}" -P
            ${PROJECT_SOURCE_DIR}/cmake/write_embedded.cmake
    DEPENDS ${files} ${PROJECT_SOURCE_DIR}/cmake/write_embedded.cmake
    VERBATIM)
  target_sources(${target} PRIVATE ${out})
endfunction()

# Embeds one binary file into a target as `memd::embedded::EmbeddedBinary memd::embedded::<NAME>()`. The assembler copies
# the bytes: an array of megabytes would take a compiler minutes.
# APART: the program does not contain it. It is installed as lib/memd/<name>-<hash>, and in the build directory beside the
# directory of the program.
function(memd_embed_binary target)
  cmake_parse_arguments(arg "APART" "NAME;FILE" "" ${ARGN})
  set(NAME ${arg_NAME})
  get_filename_component(FILE ${arg_FILE} ABSOLUTE)
  get_filename_component(FILE_NAME ${FILE} NAME)
  file(SHA256 ${FILE} HASH)
  file(SIZE ${FILE} SIZE)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${FILE})
  set(out ${CMAKE_CURRENT_BINARY_DIR}/embedded_${NAME}.cpp)
  set(template embedded_binary.cpp.in)
  if(arg_APART)
    set(template binary_apart.cpp.in)
    string(SUBSTRING ${HASH} 0 8 version)
    cmake_path(GET FILE STEM LAST_ONLY stem)
    cmake_path(GET FILE EXTENSION LAST_ONLY extension)
    set(apart ${PROJECT_BINARY_DIR}/lib/memd/${stem}-${version}${extension})
    configure_file(${FILE} ${apart} COPYONLY)
    install(FILES ${apart} DESTINATION lib/memd)  # ~/.local/share/memd holds the store
  endif()
  configure_file(${PROJECT_SOURCE_DIR}/cmake/${template} ${out} @ONLY)
  set_source_files_properties(${out} PROPERTIES OBJECT_DEPENDS ${FILE})
  target_sources(${target} PRIVATE ${out})
endfunction()
