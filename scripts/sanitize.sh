#!/usr/bin/env bash
# Builds and runs the suite under sanitizers:
#   scripts/sanitize.sh address [CTEST-ARGUMENT...]     address, leak and undefined behaviour, in build-asan/
#   scripts/sanitize.sh undefined [CTEST-ARGUMENT...]   undefined behaviour alone, in build-ubsan/: quicker, for long runs of the fuzzer
#   scripts/sanitize.sh thread  [CTEST-ARGUMENT...]     data races, in build-tsan/
# With CC=clang-19 CXX=clang++-19 before it (the fuzz group of scripts/packages.txt) the first build is quicker.
# Slower than ./test.sh by about ten times; `-R schedule` runs a part. A finding fails its test. What is suppressed, and why, stands
# in scripts/sanitizers/*.supp: libraries that are not instrumented, never our own code. Of the fuzzer's random pairs 400 are drawn, for
# the 1,500 of ./test.sh would take an hour; LOOPSCOPE_FUZZ_PAIRS asks for more.
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/common.sh"

kind=${1:-}
[ $# -eq 0 ] || shift
lists=$root/scripts/sanitizers
export UBSAN_OPTIONS="print_stacktrace=1:halt_on_error=1"
case $kind in
address)
    preset=asan
    export ASAN_OPTIONS="detect_stack_use_after_return=1:strict_string_checks=1"
    export LSAN_OPTIONS="suppressions='$lists/leak.supp':print_suppressions=0"
    ;;
undefined) preset=ubsan ;;
thread)
    preset=tsan
    # Without second_deadlock_stack a report of a lock's order shows only half of it.
    export TSAN_OPTIONS="suppressions='$lists/thread.supp':halt_on_error=1:second_deadlock_stack=1:ignore_noninstrumented_modules=1"
    # Kernels that spread mappings over 32 bits leave no room for the shadow of GCC 12's runtime: no spreading for these runs.
    if [ -z "${LOOPSCOPE_FIXED_ADDRESSES:-}" ] && setarch "$(uname -m)" -R true 2>/dev/null; then
        LOOPSCOPE_FIXED_ADDRESSES=1 exec setarch "$(uname -m)" -R "${BASH_SOURCE[0]}" thread "$@"
    fi
    ;;
*)
    fail 2 "say which: scripts/sanitize.sh address, undefined or thread."
    ;;
esac

export LOOPSCOPE_FUZZ_PAIRS=${LOOPSCOPE_FUZZ_PAIRS:-400}
ensure_packages "to build and test Loopscope" build test
configure "$preset" "build-$preset" LOOPSCOPE_BUILD_TESTS=ON
build "build-$preset"
run_tests "build-$preset" "$@"
