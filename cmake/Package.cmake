# SPDX-License-Identifier: Apache-2.0
# The library for other programs: every layer from base to design in one, as faultline::static and, from the same objects,
# as faultline::shared. In a project that adds this one as a folder, BUILD_SHARED_LIBS decides which of them
# faultline::faultline is; for an installed library cmake/faultlineConfig.cmake.in does.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(FAULTLINE_PUBLIC_LAYERS base describe formats infiniband topology fault traffic routing selection agent cost verify resilience
                            simulate design)

# faultline_library(NAME TYPE OBJECT... ): the target faultline_NAME.
function(faultline_library name type)
  add_library(faultline_${name} ${type} ${ARGN})
  add_library(faultline::${name} ALIAS faultline_${name})
  set_target_properties(faultline_${name} PROPERTIES OUTPUT_NAME faultline EXPORT_NAME ${name} LINKER_LANGUAGE CXX
    VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  target_compile_features(faultline_${name} PUBLIC cxx_std_20)
  target_include_directories(faultline_${name} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                                                      $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  set_target_properties(faultline_${name} PROPERTIES INTERFACE_LINK_LIBRARIES "")  # not what link_libraries() brought
  target_link_libraries(faultline_${name} PRIVATE fmt::fmt TBB::tbb EXPAT::EXPAT PkgConfig::CLP Threads::Threads xxhash)
endfunction()

set(objects "")
foreach(layer IN LISTS FAULTLINE_PUBLIC_LAYERS)
  list(APPEND objects $<TARGET_OBJECTS:faultline_${layer}>)
endforeach()
if(TARGET faultline_no_cuda)
  # Users of a static library with the CUDA kernel would have to link CUDA, which Debian lacks: only the shared one has it.
  faultline_library(static STATIC $<FILTER:${objects},EXCLUDE,/cuda\\.cu\\.o$> $<TARGET_OBJECTS:faultline_no_cuda>)
else()
  faultline_library(static STATIC ${objects})
endif()
if(FAULTLINE_SHARED)
  faultline_library(shared SHARED ${objects})
  set(symbols ${PROJECT_SOURCE_DIR}/cmake/faultline.symbols)
  target_link_options(faultline_shared PRIVATE -Wl,--version-script=${symbols})
  set_target_properties(faultline_shared PROPERTIES LINK_DEPENDS ${symbols})
  if(TARGET faultline_no_cuda)
    find_package(CUDAToolkit REQUIRED)
    target_link_libraries(faultline_shared PRIVATE CUDA::cudart_static)
  endif()
endif()
if(BUILD_SHARED_LIBS AND FAULTLINE_SHARED)
  add_library(faultline::faultline ALIAS faultline_shared)
else()
  add_library(faultline::faultline ALIAS faultline_static)
endif()
if(NOT FAULTLINE_INSTALL)
  return()
endif()

set(folder ${CMAKE_INSTALL_LIBDIR}/cmake/faultline)
install(TARGETS faultline_static EXPORT faultline_static ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
install(EXPORT faultline_static NAMESPACE faultline:: DESTINATION ${folder} FILE faultline_static.cmake COMPONENT development)
if(FAULTLINE_SHARED)
  install(TARGETS faultline_shared EXPORT faultline_shared LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library
                                                                   NAMELINK_COMPONENT development)
  install(EXPORT faultline_shared NAMESPACE faultline:: DESTINATION ${folder} FILE faultline_shared.cmake COMPONENT development)
endif()
foreach(layer IN LISTS FAULTLINE_PUBLIC_LAYERS)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/faultline/${layer} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/faultline
          COMPONENT development)
endforeach()
install(FILES ${PROJECT_SOURCE_DIR}/include/faultline/faultline.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/faultline
        COMPONENT development)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/faultlineConfig.cmake.in
                              ${PROJECT_BINARY_DIR}/package/faultlineConfig.cmake INSTALL_DESTINATION ${folder})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/package/faultlineConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/package/faultlineConfig.cmake
              ${PROJECT_BINARY_DIR}/package/faultlineConfigVersion.cmake DESTINATION ${folder} COMPONENT development)
