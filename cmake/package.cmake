# What is installed, and how it is packed: packaging/package.sh makes a .deb and a tarball of it.
include(GNUInstallDirs)
install(TARGETS memd RUNTIME)
if(NOT CMAKE_CROSSCOMPILING)
  set(told ${PROJECT_BINARY_DIR}/told)
  install(DIRECTORY ${told}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  install(FILES ${told}/memd DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  install(FILES ${told}/_memd DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
  install(FILES ${told}/memd.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endif()
install(FILES README.md packaging/third-party.txt DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT package EXCLUDE_FROM_ALL)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright COMPONENT package EXCLUDE_FROM_ALL)
install(FILES packaging/model/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME models-license.txt COMPONENT package
        EXCLUDE_FROM_ALL)
install(DIRECTORY packaging/clients packaging/claude-code-plugin DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples
        COMPONENT package EXCLUDE_FROM_ALL)
# The unit of a package starts the program that the package installs.
file(READ packaging/systemd/memd.service unit)
string(REPLACE "%h/.local/bin/memd" "/usr/bin/memd" unit "${unit}")
file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/units/memd.service "${unit}")
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/units/memd.service packaging/systemd/memd.socket DESTINATION lib/systemd/user
        COMPONENT package EXCLUDE_FROM_ALL)

set(CPACK_GENERATOR DEB TGZ)
set(CPACK_COMPONENTS_ALL Unspecified package)
set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_ARCHIVE_COMPONENT_INSTALL ON)
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_PACKAGE_NAME memd)
set(CPACK_PACKAGE_CONTACT "memd developers")
# As packaging/release.sh names it.
string(TOLOWER ${CMAKE_SYSTEM_NAME} system)
string(REPLACE aarch64 arm64 processor ${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_PACKAGE_FILE_NAME memd-${PROJECT_VERSION}-${system}-${processor})
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS ${MEMD_STEMMER_PACKAGE})  # opened by name, which SHLIBDEPS does not see
if(MEMD_LIBPQ)
  set(CPACK_DEBIAN_PACKAGE_RECOMMENDS libpq5)
endif()
set(CPACK_DEBIAN_PACKAGE_HOMEPAGE "")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION "${PROJECT_DESCRIPTION}
 memd reads what coding agents leave on disk, keeps it in one local store and
 gives it back to any agent over the Model Context Protocol.")
include(CPack)
