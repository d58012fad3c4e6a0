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
