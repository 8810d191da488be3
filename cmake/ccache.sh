#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# CMake's compiler launcher: ccache. It would hash a precompiled header of 100 MB for every file that begins with it, which
# takes 0.1 s for a file that it has and 0.2 s for one that it compiles; it reads a checksum beside the header instead.
# The old header is removed before a new one is compiled: ccache would take it for the only file that this one includes.
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
