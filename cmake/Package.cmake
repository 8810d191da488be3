# SPDX-License-Identifier: Apache-2.0
# The library for other programs: every layer from base to design in one, static or, with BUILD_SHARED_LIBS, shared.
# `cmake --install` puts it where find_package(faultline) finds faultline::faultline; a project that adds this one as a
# folder links the same name.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(FAULTLINE_PUBLIC_LAYERS base describe formats infiniband topology fault traffic routing selection agent cost verify resilience
                            simulate design)
set(objects "")
foreach(layer IN LISTS FAULTLINE_PUBLIC_LAYERS)
  list(APPEND objects $<TARGET_OBJECTS:faultline_${layer}>)
endforeach()
add_library(faultline_library ${objects})
add_library(faultline::faultline ALIAS faultline_library)
set_target_properties(faultline_library PROPERTIES
  OUTPUT_NAME faultline EXPORT_NAME faultline LINKER_LANGUAGE CXX
  VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
target_compile_features(faultline_library PUBLIC cxx_std_20)
target_include_directories(faultline_library PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                                                    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_link_libraries(faultline_library PRIVATE fmt::fmt TBB::tbb EXPAT::EXPAT PkgConfig::CLP Threads::Threads xxhash)
if(BUILD_SHARED_LIBS)
  set(symbols ${PROJECT_SOURCE_DIR}/cmake/faultline.symbols)
  target_link_options(faultline_library PRIVATE -Wl,--version-script=${symbols})
  set_target_properties(faultline_library PROPERTIES LINK_DEPENDS ${symbols})
endif()
if(PROJECT_IS_TOP_LEVEL AND CMAKE_CUDA_COMPILER)  # resilience holds a kernel for graphics processors
  find_package(CUDAToolkit REQUIRED)
  target_link_libraries(faultline_library PRIVATE CUDA::cudart_static)
endif()

set(folder ${CMAKE_INSTALL_LIBDIR}/cmake/faultline)
install(TARGETS faultline_library EXPORT faultline
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
foreach(layer IN LISTS FAULTLINE_PUBLIC_LAYERS)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/faultline/${layer} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/faultline
          COMPONENT development)
endforeach()
install(FILES ${PROJECT_SOURCE_DIR}/include/faultline/faultline.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/faultline
        COMPONENT development)
install(EXPORT faultline NAMESPACE faultline:: DESTINATION ${folder} FILE faultlineTargets.cmake COMPONENT development)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/faultlineConfig.cmake.in
                              ${PROJECT_BINARY_DIR}/package/faultlineConfig.cmake INSTALL_DESTINATION ${folder})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/package/faultlineConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/package/faultlineConfig.cmake
              ${PROJECT_BINARY_DIR}/package/faultlineConfigVersion.cmake DESTINATION ${folder} COMPONENT development)
