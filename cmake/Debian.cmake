# SPDX-License-Identifier: Apache-2.0
# `make deb` (cpack -G DEB): faultline, with the programs, their manual pages and completion, and libfaultline-dev, with
# the static library, its headers and its CMake package.
set(packaging ${PROJECT_SOURCE_DIR}/packaging)

# What only a Debian package holds: `make install` leaves it out.
set(changelog ${PROJECT_BINARY_DIR}/package/changelog.gz)
add_custom_command(OUTPUT ${changelog} COMMAND gzip -9nc ${packaging}/changelog > ${changelog} DEPENDS ${packaging}/changelog)
add_custom_target(faultline_changelog DEPENDS ${changelog})
add_dependencies(faultline faultline_changelog)
install(FILES ${packaging}/copyright ${changelog} DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/doc/faultline
        COMPONENT program EXCLUDE_FROM_ALL)
install(FILES ${packaging}/copyright ${changelog} DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/doc/libfaultline-dev
        COMPONENT development EXCLUDE_FROM_ALL)

set(CPACK_PACKAGE_NAME faultline)
set(CPACK_PACKAGE_CONTACT "Faultline maintainers <maintainers@faultline.example.org>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_COMPONENTS_ALL program development)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_STRIP_FILES ON)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/StripArchives.cmake)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME faultline)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libfaultline-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
    "libfmt-dev, libtbb-dev, libexpat1-dev, coinor-libclp-dev, librandom123-dev, libxxhash-dev, pkg-config")
set(CPACK_COMPONENT_PROGRAM_DESCRIPTION "interconnection networks that keep working when parts fail
faultline designs, verifies and simulates interconnection networks that keep
working when links and switches fail: it proves routings free of deadlock,
counts which faults a network survives, and measures throughput and latency.")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "interconnection networks that keep working - library
The static library of faultline, its headers and its CMake package
(find_package(faultline), faultline::faultline): topologies, routings, their
verification, resilience and simulation.")
include(CPack)
