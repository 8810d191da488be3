#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A compiler launcher for a copy of the source tree: takes the object of the original tree's build wherever the source is
# the same, and compiles the rest. The copy's source and build folder, and the original's, stand in the environment, and
# what objects of the copy have before their paths, as in a project that adds it as a folder.
set -euo pipefail

source="" object="" dependencies="" target=""
for ((i = 1; i <= $#; ++i)); do
  next=$((i + 1))
  case ${!i} in
    -c) source=${!next} ;;
    -o) object=${!next} ;;
    -MF) dependencies=${!next} ;;
    -MT) target=${!next} ;;
  esac
done

original=$source
case $source in
  "$COPY_BUILD"/*) original=$ORIGINAL_BUILD/${source#"$COPY_BUILD"/} ;;
  "$COPY_SOURCE"/*) original=$ORIGINAL_SOURCE/${source#"$COPY_SOURCE"/} ;;
esac
built=$ORIGINAL_BUILD/${object#"${COPY_OBJECTS:-}"}
if [ -n "$object" ] && [ -f "$built" ] && cmp -s "$source" "$original"; then
  cp "$built" "$object"
  [ -z "$dependencies" ] || echo "$target:" > "$dependencies"
  exit
fi
echo "$source" >> "$COPY_BUILD/compiled"
exec "$@"
