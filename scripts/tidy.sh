#!/usr/bin/env bash
# Runs clang-tidy (.clang-tidy) on the .cpp files given, or on all of them: scripts/tidy.sh core/schedule/tree.cpp
set -euo pipefail
caller=$PWD
# shellcheck source=scripts/common.sh
source "$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/common.sh"

ensure_packages "to build and check Loopscope" build test
command -v clang-tidy-19 >/dev/null || ensure_packages "to check the sources" tools
configure alone build-alone LOOPSCOPE_BUILD_TESTS=ON
mapfile -t generated < <(ninja -C "$root/build-alone" -t targets all | sed -n 's/^\([a-z_]*_autogen\): .*/\1/p')
build build-alone "${generated[@]}" # what Qt makes of headers
tidy=(clang-tidy-19 --quiet -p "$root/build-alone" --extra-arg=-Wno-unknown-warning-option)
if [ $# -gt 0 ]; then
    cd "$caller"
    "${tidy[@]}" "$@"
else
    sources | grep -z '\.cpp$' | xargs -0 -r -n 4 -P "$(jobs_to_use)" "${tidy[@]}"
fi
