# SPDX-License-Identifier: Apache-2.0
# `make deb` (cpack -G DEB): faultline, with the programs, their manual pages and completion; libfaultlineN, with the
# shared library; and libfaultline-dev, with its link, the static library, the headers and the CMake package.
set(packaging ${PROJECT_SOURCE_DIR}/packaging)

# What only a Debian package holds: `make install` leaves it out.
set(changelog ${PROJECT_BINARY_DIR}/package/changelog.gz)
add_custom_command(OUTPUT ${changelog} COMMAND gzip -9nc ${packaging}/changelog > ${changelog} DEPENDS ${packaging}/changelog)
add_custom_target(faultline_changelog DEPENDS ${changelog})
add_dependencies(faultline faultline_changelog)
# faultline_debian_package(COMPONENT NAME SECTION)
macro(faultline_debian_package component name section)
  list(APPEND CPACK_COMPONENTS_ALL ${component})
  string(TOUPPER ${component} key)
  set(CPACK_DEBIAN_${key}_PACKAGE_NAME ${name})
  set(CPACK_DEBIAN_${key}_PACKAGE_SECTION ${section})
  install(FILES ${packaging}/copyright ${changelog} DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/doc/${name}
          COMPONENT ${component} EXCLUDE_FROM_ALL)
endmacro()

set(CPACK_PACKAGE_NAME faultline)
set(CPACK_PACKAGE_CONTACT "Faultline maintainers <maintainers@faultline.example.org>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_STRIP_FILES ON)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/StripArchives.cmake)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(library libfaultline${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
faultline_debian_package(program faultline science)
faultline_debian_package(library ${library} libs)
faultline_debian_package(development libfaultline-dev libdevel)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY ">=")
# Debian wants a trigger for ldconfig. CPack would write scripts that call it unless it is given some; it ignores missing files.
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA ${packaging}/triggers ${packaging}/none/postinst ${packaging}/none/postrm)
# zlib1g-dev: CoinUtils requires it in its .pc file, but not in its package.
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "${library} (= ${PROJECT_VERSION}), libfmt-dev, libtbb-dev, libexpat1-dev, \
coinor-libclp-dev, zlib1g-dev, libxxhash-dev, pkg-config")
set(CPACK_COMPONENT_PROGRAM_DESCRIPTION "interconnection networks that keep working when parts fail
faultline designs, verifies and simulates interconnection networks that keep
working when links and switches fail: it proves routings free of deadlock,
counts which faults a network survives, and measures throughput and latency.")
set(CPACK_COMPONENT_LIBRARY_DESCRIPTION "interconnection networks that keep working - shared library
Topologies, routings, their verification, resilience and simulation, as a
shared library that programs use.")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "interconnection networks that keep working - development files
The headers of faultline, its CMake package (find_package(faultline),
faultline::faultline) and the static library: topologies, routings, their
verification, resilience and simulation.")
include(CPack)
