# SPDX-License-Identifier: Apache-2.0
# Before a package is made: CPACK_STRIP_FILES strips programs, not static libraries.
file(GLOB_RECURSE archives ${CPACK_TEMPORARY_DIRECTORY}/*.a)
foreach(archive IN LISTS archives)
  execute_process(COMMAND strip --strip-debug --remove-section=.comment --remove-section=.note --enable-deterministic-archives
                          ${archive} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
