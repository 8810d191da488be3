# SPDX-License-Identifier: Apache-2.0
# faultline_layer(NAME DEPENDS lower-layer... [LIBRARIES library...] [PRECOMPILED name] [OPTIONS option...])
# One static library a layer, of every .cpp under src/NAME; it sees only the layers it depends on (tests/tidy checks the
# includes, the linker the rest).
# With CMAKE_UNITY_BUILD several files are compiled as one, in a third to half of the time; kernels are not, nor kinds, whose
# local names need not differ from each other's.
function(faultline_layer name)
  cmake_parse_arguments(LAYER "" "PRECOMPILED" "DEPENDS;LIBRARIES;OPTIONS" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${name}/*.cpp ${PROJECT_SOURCE_DIR}/src/${name}/*/*.cpp)
  list(FILTER sources EXCLUDE REGEX "/kinds/|/kernels/no_")
  add_library(faultline_${name} STATIC ${sources})
  target_include_directories(faultline_${name} PUBLIC ${PROJECT_SOURCE_DIR}/include PRIVATE ${PROJECT_SOURCE_DIR}/src)
  list(TRANSFORM LAYER_DEPENDS PREPEND faultline_)
  target_link_libraries(faultline_${name} PUBLIC ${LAYER_DEPENDS} PRIVATE ${LAYER_LIBRARIES})
  target_compile_options(faultline_${name} PRIVATE ${LAYER_OPTIONS})
  if(NOT LAYER_PRECOMPILED)
    set(LAYER_PRECOMPILED common)
  endif()
  faultline_precompiled(faultline_${name} ${LAYER_PRECOMPILED})
  faultline_shareable(faultline_${name})
  list(FILTER sources INCLUDE REGEX "/src/${name}/kernels/")
  set_source_files_properties(${sources} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  set_property(GLOBAL APPEND PROPERTY FAULTLINE_LAYERS faultline_${name})
endfunction()

# faultline_shareable(TARGET): objects for the static and the shared library. Public headers declare with default
# visibility; no function may be replaced from outside, so that all can still be inlined.
function(faultline_shareable target)
  if(FAULTLINE_SHARED)
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden
                                               CUDA_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-fno-semantic-interposition>)
  endif()
endfunction()

# faultline_catalogue(LAYER layer TYPE kind-type HEADER header ACCESSOR function NAMESPACE namespace)
# faultline_catalogue(TARGET target FOLDER folder TYPE …)
# Every src/LAYER/kinds/NAME.cpp (FOLDER/NAME.cpp) defines `extern constinit const TYPE NAME` in faultline::NAMESPACE; the
# generated file holds the array of their addresses, so that a missing or misnamed one is a link error, and requires that the
# names that users write are those of the files.
function(faultline_catalogue)
  cmake_parse_arguments(KIND "" "LAYER;TARGET;FOLDER;TYPE;HEADER;ACCESSOR;NAMESPACE" "" ${ARGN})
  if(KIND_LAYER)
    set(KIND_TARGET faultline_${KIND_LAYER})
    set(KIND_FOLDER src/${KIND_LAYER}/kinds)
  endif()
  file(GLOB files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${KIND_FOLDER}/*.cpp)
  list(SORT files)
  set(declarations "")
  set(addresses "")
  set(stems "")
  foreach(file IN LISTS files)
    get_filename_component(stem ${file} NAME_WE)
    string(APPEND declarations "extern const ${KIND_TYPE} ${stem};\n")
    string(APPEND addresses "    &${KIND_NAMESPACE}::${stem},\n")
    string(APPEND stems "    \"${stem}\",\n")
  endforeach()
  set(check_header "")
  set(check "")
  if(KIND_LAYER)  # of a layer: kinds, which have names
    set(check_header "#include \"describe/catalogue.h\"\n")
    set(check "  static constexpr std::string_view files[] = {
${stems}  };
  static const bool is_named = require_names_of_files(all, files, \"${KIND_FOLDER}\");
  (void)is_named;
")
  endif()
  set(generated ${PROJECT_BINARY_DIR}/catalogues/${KIND_ACCESSOR}.cpp)
  file(CONFIGURE OUTPUT ${generated} CONTENT "// Generated from ${KIND_FOLDER}/.
#include \"${KIND_HEADER}\"
${check_header}namespace faultline {
namespace ${KIND_NAMESPACE} {
${declarations}}
std::span<const ${KIND_TYPE}* const> ${KIND_ACCESSOR}() {
  static constexpr const ${KIND_TYPE}* all[] = {
${addresses}  };
${check}  return all;
}
}
")
  target_sources(${KIND_TARGET} PRIVATE ${files} ${generated})
  set_source_files_properties(${files} ${generated} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# faultline_kernel(LAYER NAME FLAG...): compiles only src/LAYER/kernels/NAME.cpp for a newer processor, if the compiler
# supports it; the kernel checks at run time whether it may be called.
include(CheckCXXCompilerFlag)
function(faultline_kernel layer name)
  check_cxx_compiler_flag("${ARGN}" FAULTLINE_HAS_${name})
  if(FAULTLINE_HAS_${name})
    set_source_files_properties(src/${layer}/kernels/${name}.cpp PROPERTIES COMPILE_OPTIONS "${ARGN}"
                                                                            SKIP_PRECOMPILE_HEADERS ON)
  endif()
endfunction()

# faultline_cuda(LAYER NAME): compiles src/LAYER/kernels/NAME.cu if a working nvcc is found, else no_NAME.cpp in its place
# (with nvcc that one is the target faultline_no_NAME). Whether there is a GPU is determined at run time. Within another
# project the kernel is not built, because CMake enables a language only for the folder that asks for it; nor with
# sanitizers, which do not see what runs on a GPU.
include(CheckLanguage)
macro(faultline_cuda layer name)
  if(PROJECT_IS_TOP_LEVEL AND NOT FAULTLINE_SANITIZE AND NOT FAULTLINE_FUZZ)
    check_language(CUDA)
    if(CMAKE_CUDA_COMPILER)
      enable_language(CUDA)
    endif()
  endif()
  set(replacement src/${layer}/kernels/no_${name}.cpp)
  set_source_files_properties(${replacement} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  if(PROJECT_IS_TOP_LEVEL AND NOT FAULTLINE_SANITIZE AND NOT FAULTLINE_FUZZ AND CMAKE_CUDA_COMPILER AND CMAKE_CUDA_COMPILER_VERSION VERSION_GREATER_EQUAL 11.8)
    set_target_properties(faultline_${layer} PROPERTIES CUDA_STANDARD 17 CUDA_ARCHITECTURES "75-virtual;90")
    target_compile_options(faultline_${layer} PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:--expt-relaxed-constexpr>)
    target_sources(faultline_${layer} PRIVATE src/${layer}/kernels/${name}.cu)
    add_library(faultline_no_${name} OBJECT EXCLUDE_FROM_ALL ${replacement})
    target_include_directories(faultline_no_${name} PRIVATE include src)
    faultline_shareable(faultline_no_${name})
  else()
    target_sources(faultline_${layer} PRIVATE ${replacement})
    if(NOT FAULTLINE_SANITIZE AND NOT FAULTLINE_FUZZ)
      message(STATUS "no working nvcc of at least CUDA 11.8: built without GPU kernels")
    endif()
  endif()
endmacro()
