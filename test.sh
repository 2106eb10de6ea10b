#!/usr/bin/env bash
# Builds and tests Loopscope with CTest, whose summary ends the output:
#   ./test.sh                          everything
#   ./test.sh core/schedule/tree.cpp   within a minute: the programs that test this file's folder, without their longest tests
#   ./test.sh core/schedule            the same programs, all of their tests; several files or folders may be named
#   ./test.sh tests/lower/test_barriers.cpp   the tests of this file
#   ./test.sh -R schedule              everything is built; the arguments choose, as ctest's
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=scripts/common.sh
source "$here/scripts/common.sh"

ensure_packages "to build and test Loopscope" build test
configure release build LOOPSCOPE_BUILD_TESTS=ON
if [ $# -gt 0 ] && [ -e "$1" ]; then
    programs=$(test_programs_of build "$@")
    mapfile -t programs <<<"$programs"
    build build "${programs[@]}"
    shorten_for build "${programs[0]}" "$@"
    printf -v labels '|^%s$' "${programs[@]}"
    run_tests build -L "${labels#|}"
else
    build build
    run_tests build "$@"
fi
