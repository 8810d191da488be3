#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs the packages of build/deb on a fresh Debian 12, a folder that is removed afterwards, and builds and runs the
# examples there: with the shared library, and with the static one. Needs root and Debian's archive; some minutes.
set -euo pipefail
cd "$(dirname "$0")/.."

command -v mmdebstrap >/dev/null || apt-get install -y -qq --no-install-recommends mmdebstrap >/dev/null

check=$(mktemp -d)
trap 'rm -rf "$check"' EXIT
cp build/deb/*.deb "$check"
cp -r examples "$check"
cat > "$check/run" <<'EOF'
set -euo pipefail
cd /check
apt-get update -qq
apt-get install -y -qq --no-install-recommends ./*.deb g++ cmake make >/dev/null
for shared in ON OFF; do
  cmake -S examples -B "$shared" -DBUILD_SHARED_LIBS="$shared" >/dev/null
  cmake --build "$shared" -j "$(nproc)" >/dev/null
  for example in examples/*.cpp; do
    name=$(basename "$example" .cpp)
    arguments=()
    [ "$name" != read_fabric ] || arguments=(examples/data/small.ibnetdiscover)
    "$shared/$name" "${arguments[@]}" > "$shared/$name.out"
    echo "$name: $(wc -l < "$shared/$name.out") lines, libfaultline.so: $(ldd "$shared/$name" | grep -c libfaultline || true)"
  done
done
for output in ON/*.out; do cmp "$output" "OFF/${output#ON/}"; done
faultline verify graph file=petersen.graphml
apt-get purge -y -qq faultline 'libfaultline*' >/dev/null
if find /usr /etc -iname '*faultline*' | grep .; then exit 1; fi
EOF

mmdebstrap --quiet --variant=apt --format=null \
  --customize-hook="copy-in $check /" --customize-hook="mv \"\$1/$(basename "$check")\" \"\$1/check\"" \
  --customize-hook='chroot "$1" bash /check/run' bookworm
echo "the packages serve the examples on a fresh Debian 12"
