# SPDX-License-Identifier: Apache-2.0
# Every fuzz/targets/NAME.cpp defines `extern constinit const Target NAME`; the generated file holds the array of them.
# faultline_fuzz_targets: the library of all. faultline_fuzz_programs(): one libFuzzer program each, with clang.
file(GLOB FAULTLINE_FUZZ_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/fuzz/targets/*.cpp)
set(declarations "")
set(entries "")
set(FAULTLINE_FUZZ_NAMES "")
foreach(file IN LISTS FAULTLINE_FUZZ_SOURCES)
  get_filename_component(stem ${file} NAME_WE)
  list(APPEND FAULTLINE_FUZZ_NAMES ${stem})
  string(APPEND declarations "extern const Target ${stem};\n")
  string(APPEND entries "${stem}, ")
endforeach()
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/fuzz_targets.cpp CONTENT "// Generated from fuzz/targets/ by cmake/Fuzz.cmake.
#include <array>
#include \"targets.h\"
namespace faultline::fuzz {
${declarations}
std::span<const Target> targets() {
  static const std::array all{${entries}};
  return all;
}
}
")
add_library(faultline_fuzz_targets STATIC EXCLUDE_FROM_ALL ${FAULTLINE_FUZZ_SOURCES} fuzz/harness.cpp
            ${PROJECT_BINARY_DIR}/fuzz_targets.cpp)
target_include_directories(faultline_fuzz_targets PUBLIC fuzz PRIVATE src)
target_link_libraries(faultline_fuzz_targets PUBLIC certificate_checker faultline_command_line faultline_report
                                                    nlohmann_json::nlohmann_json)
target_compile_options(faultline_fuzz_targets PRIVATE ${cold})
faultline_precompiled(faultline_fuzz_targets json)
faultline_shareable(faultline_fuzz_targets)  # as what is precompiled
set_target_properties(faultline_fuzz_targets PROPERTIES UNITY_BUILD OFF)  # targets have local names in common

function(faultline_fuzz_programs)
  foreach(name IN LISTS FAULTLINE_FUZZ_NAMES)
    add_executable(fuzz_${name} fuzz/libfuzzer_main.cpp)
    target_compile_definitions(fuzz_${name} PRIVATE FAULTLINE_FUZZ_TARGET="${name}")
    target_link_libraries(fuzz_${name} PRIVATE faultline_fuzz_targets)
    target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
  endforeach()
endfunction()
