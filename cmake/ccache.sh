#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# CMake's compiler launcher: ccache. It would hash the precompiled header of 100 MB for every file that uses it (0.1 s on a
# hit, 0.2 s on a miss); instead it reads a checksum next to the header. The old header is removed before a new one is
# compiled, because ccache would take it for the only file that the new one includes.
set -e
export CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_PCH_EXTSUM=1
header=
for word; do
  case $word in *.gch) header=$word ;; esac
done
[ -n "$header" ] || exec ccache "$@"
rm -f "$header" "$header.sum"
ccache "$@"
sha256sum <"$header" >"$header.sum.partial"
mv "$header.sum.partial" "$header.sum"
