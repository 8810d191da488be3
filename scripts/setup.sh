#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs the missing packages that the build needs on Debian 12; with `tests`, `fuzz` or `lint` also those that `make test`,
# `make fuzz` or `make lint` need.
set -euo pipefail

packages=(
  g++ cmake ninja-build ccache make git ca-certificates
  libfmt-dev libcli11-dev libtomlplusplus-dev nlohmann-json3-dev libexpat1-dev libsqlite3-dev libtbb-dev
  libboost-dev librandom123-dev libxxhash-dev
  coinor-libclp-dev zlib1g-dev pkg-config
  libgtest-dev libgmock-dev
)
[ "${1:-}" != lint ] || packages+=(clang-format clang-tidy)
[ "${1:-}" != fuzz ] || packages+=(clang-16 libclang-rt-16-dev)
if [ "${1:-}" = tests ]; then
  command -v chromium >/dev/null || packages+=(chromium)  # the tests of the report's page
  command -v python3 >/dev/null || packages+=(python3)    # the oracle of verify, scripts/check_skips.py
  packages+=(clang-16 libclang-rt-16-dev lld-16)          # the build with sanitizers
  packages+=(zsh fish)                                    # their completion
  packages+=(lintian dpkg-dev binutils)                   # the Debian packages
fi
command -v node >/dev/null || packages+=(nodejs)  # the report's page; it may have come from elsewhere
command -v curl >/dev/null || packages+=(curl)    # its libraries

judges=()  # other programs that some tests ask; these are skipped where an archive does not have them
[ "${1:-}" != tests ] || judges+=(opensm ibsim-utils)

is_installed() { dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null | grep -qx installed; }
missing=()
for package in "${packages[@]}"; do is_installed "$package" || missing+=("$package"); done
missing_judges=()
for package in "${judges[@]}"; do is_installed "$package" || missing_judges+=("$package"); done
[ ${#missing[@]} -eq 0 ] && [ ${#missing_judges[@]} -eq 0 ] && exit 0

echo "installing: ${missing[*]} ${missing_judges[*]}" >&2
as_root=()
[ "$(id -u)" -eq 0 ] || as_root=(sudo)
update() { "${as_root[@]}" apt-get update -qq; }
install() { "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null; }
if [ ${#missing[@]} -ne 0 ]; then
  update
  install "${missing[@]}"
fi
[ ${#missing_judges[@]} -eq 0 ] || { update && install "${missing_judges[@]}"; } || echo "without ${missing_judges[*]}" >&2
