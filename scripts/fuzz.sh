#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# fuzz.sh build JOBS          the fuzzers, in build-fuzz/
# fuzz.sh run MINUTES JOBS    all targets, JOBS at a time, MINUTES in all; exits 1 if a defect was found
# fuzz.sh canaries JOBS       each target must find the defect that is planted for it
# They start from the corpus in fuzz/corpus/; what they add is kept in build-fuzz/corpus/ for the next time. An input that
# fails belongs in fuzz/regression/TARGET/, which "make test" replays.
set -euo pipefail
cd "$(dirname "$0")/.."

targets=()
for source in fuzz/targets/*.cpp; do targets+=("$(basename "$source" .cpp)"); done

# The bounds of containers created by uninstrumented libraries cannot be checked.
export ASAN_OPTIONS=detect_container_overflow=0:allocator_may_return_null=0:detect_leaks=1
# The limit is wall-clock time, and must be long: a process that waits for a processor does not hang.
common=(-rss_limit_mb=2560 -timeout=300 -print_final_stats=1)

fuzz_one() {  # TARGET SECONDS: prints the outcome in one line
  local target=$1 seconds=$2 log=build-fuzz/log/$1
  mkdir -p build-fuzz/{corpus,log,found}/ "build-fuzz/corpus/$target" "build-fuzz/found/$target"
  local known=("fuzz/corpus/$target")
  [ -d "fuzz/regression/$target" ] && known+=("fuzz/regression/$target")
  local options=("${common[@]}" -max_total_time="$seconds" -artifact_prefix="build-fuzz/found/$target/")
  [ -f "fuzz/dictionaries/$target" ] && options+=(-dict="fuzz/dictionaries/$target")
  local status=0
  build-fuzz/bin/fuzz_"$target" "${options[@]}" "build-fuzz/corpus/$target" "${known[@]}" >"$log" 2>&1 || status=$?
  local runs
  runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
  echo "$target: ${runs:-?} executions, exit $status"
  echo "$(date -u +%FT%TZ) $target ${runs:-0} $status" >>build-fuzz/executions
  return "$status"
}

canary_of() {  # TARGET: succeeds when the planted defect is found in three million executions
  local target=$1 work
  work=$(mktemp -d)
  local options=("${common[@]}" -runs=3000000 -max_total_time=1800 -artifact_prefix="$work/")
  [ -f "fuzz/dictionaries/$target" ] && options+=(-dict="fuzz/dictionaries/$target")
  if FAULTLINE_CANARY=1 build-fuzz/bin/fuzz_"$target" "${options[@]}" "$work" "fuzz/corpus/$target" >"$work/log" 2>&1; then
    echo "$target: the canary was NOT found"
    rm -r "$work"
    return 1
  fi
  if ! grep -q 'defect: the canary' "$work/log"; then
    echo "$target: something else was found, see $work"
    return 1
  fi
  echo "$target: canary found"
  rm -r "$work"
}

# ACTION JOBS ARGUMENTS: the action for each target, JOBS at a time; fails where one does.
for_each_target() {
  local action=$1 jobs=$2 running=0 failed=0
  shift 2
  for target in "${targets[@]}"; do
    if [ "$running" -ge "$jobs" ]; then
      wait -n || failed=1
      running=$((running - 1))
    fi
    "$action" "$target" "$@" &
    running=$((running + 1))
  done
  while [ "$running" -gt 0 ]; do
    wait -n || failed=1
    running=$((running - 1))
  done
  return "$failed"
}

case ${1-} in
  build)
    scripts/setup.sh fuzz
    cmake --preset fuzz >/dev/null
    cmake --build --preset fuzz -j "$2" -- $(printf 'fuzz_%s ' "${targets[@]}")
    ;;
  run)
    jobs=$(($3 < ${#targets[@]} ? $3 : ${#targets[@]}))
    seconds=$(($2 * 60 * jobs / ${#targets[@]}))
    [ "$seconds" -ge 1 ] || seconds=1  # 0 would mean without limit
    failed=0
    for_each_target fuzz_one "$jobs" "$seconds" || failed=1
    awk '{ sum += $3 } END { printf "%d executions so far, in all runs\n", sum }' build-fuzz/executions
    if [ "$failed" -ne 0 ]; then
      echo "found:" && find build-fuzz/found -type f
      exit 1
    fi
    ;;
  canaries)
    for_each_target canary_of "$2"
    ;;
  *)
    sed -n '3,7p' "$0" >&2
    exit 2
    ;;
esac
