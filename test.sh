#!/usr/bin/env bash
# Builds everything and runs every test with CTest, whose summary ends the output. Arguments go to ctest: ./test.sh -R schedule
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=scripts/common.sh
source "$here/scripts/common.sh"

ensure_packages "to build and test Loopscope" build test
configure release build LOOPSCOPE_BUILD_TESTS=ON
build build
run_tests build "$@"
