#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# CMake's compiler launcher: ccache. It would hash the precompiled header of 100 MB for every file that uses it (0.1 s on a
# hit, 0.2 s on a miss); instead it reads a checksum next to the header. The old header is removed before a new one is
# compiled, because ccache would take it for the only file that the new one includes. A header is found by the contents of
# the files it includes (depend mode) and not by its preprocessed text: it records their checksums, which a changed comment
# changes too, and GCC would read a file again whose checksum differs.
set -e
export CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_PCH_EXTSUM=1
header=
before=
for word; do
  case "$before $word" in "-o "*.gch | "-o "*.pch) header=$word ;; esac  # GCC's, clang's
  before=$word
done
[ -n "$header" ] || exec ccache "$@"
rm -f "$header" "$header.sum"
CCACHE_DEPEND=1 CCACHE_NAMESPACE=headers ccache "$@"
sha256sum <"$header" >"$header.sum.partial"
mv "$header.sum.partial" "$header.sum"
