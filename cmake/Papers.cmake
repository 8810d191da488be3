# SPDX-License-Identifier: Apache-2.0
# faultline_papers(TARGET): builds the studies with claims of studies/papers/ into TARGET, so that `faultline reproduce`
# needs no file.
function(faultline_papers target)
  set(folder ${PROJECT_SOURCE_DIR}/studies/papers)
  file(GLOB files CONFIGURE_DEPENDS ${folder}/*.toml)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${files})
  set(entries "")
  foreach(file IN LISTS files)
    get_filename_component(stem ${file} NAME_WE)
    file(READ ${file} content)
    if(NOT content MATCHES "\n\\[\\[claim\\]\\]")
      continue()
    endif()
    string(APPEND entries "    {\"${stem}\", R\"toml(${content})toml\"},\n")
  endforeach()
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/papers.cpp CONTENT "// Generated from studies/papers/ by cmake/Papers.cmake.
#include \"study/papers.h\"
namespace faultline {
std::span<const PaperFile> paper_files() {
  static constexpr PaperFile all[] = {
${entries}  };
  return all;
}
}
" @ONLY)
  target_sources(${target} PRIVATE ${PROJECT_BINARY_DIR}/papers.cpp)
endfunction()
