#!/usr/bin/env bash
# Which lines and branches the tests reach, by folder:
#   scripts/coverage.sh                     all tests, in build-coverage/, and then the tables of tests/README.md
#   scripts/coverage.sh -R schedule         those that the arguments choose, as ctest's
#   scripts/coverage.sh --report            the tables of the runs so far
# Branches that only exceptions take are left out: each call has one. Details by file: build-coverage/coverage.json. Tests that limit the
# size of files fail, for programs write their counts as well.
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/common.sh"

folder=$root/build-coverage
ensure_packages "to measure coverage" build test coverage
if [ "${1:-}" != --report ]; then
    configure coverage build-coverage LOOPSCOPE_BUILD_TESTS=ON
    build build-coverage
    find "$folder" -name '*.gcda' -delete
    run_tests build-coverage "$@" || say "Some tests failed: what they would have reached is missing."
fi
gcovr --root "$root" --object-directory "$folder" -j "$(jobs_to_use)" --exclude-throw-branches --exclude-unreachable-branches \
    --gcov-ignore-parse-errors --filter "$root/(core|compiler|tuner|views|app)/" --json "$folder/coverage.json" "$folder" >"$folder/gcovr.log" 2>&1 ||
    fail 2 "gcovr failed ($folder/gcovr.log)."
exec python3 "$root/scripts/coverage_table.py" "$folder/coverage.json"
