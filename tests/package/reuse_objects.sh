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

original_of() {  # FILE
  case $1 in
    "$COPY_BUILD"/*) echo "$ORIGINAL_BUILD/${1#"$COPY_BUILD"/}" ;;
    "$COPY_SOURCE"/*) echo "$ORIGINAL_SOURCE/${1#"$COPY_SOURCE"/}" ;;
    *) echo "$1" ;;
  esac
}
is_unchanged() {  # FILE; one that stands for several (CMAKE_UNITY_BUILD) includes them by their paths
  local included
  cmp -s <(sed "s#\"$COPY_BUILD/#\"$ORIGINAL_BUILD/#; s#\"$COPY_SOURCE/#\"$ORIGINAL_SOURCE/#" "$1") "$(original_of "$1")" || return 1
  [[ $1 == */Unity/* ]] || return 0
  while read -r included; do
    cmp -s "$included" "$(original_of "$included")" || return 1
  done < <(sed -n 's/^#include "\(.*\)"$/\1/p' "$1")
}

built=$ORIGINAL_BUILD/${object#"${COPY_OBJECTS:-}"}
if [ -n "$object" ] && [ -f "$built" ] && is_unchanged "$source"; then
  cp "$built" "$object"
  [ -z "$dependencies" ] || echo "$target:" > "$dependencies"
  exit
fi
echo "$source" >> "$COPY_BUILD/compiled"
exec "$@"
