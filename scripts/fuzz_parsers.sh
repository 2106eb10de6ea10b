#!/usr/bin/env bash
# Runs both parsers under libFuzzer with the address and undefined-behaviour sanitizers:
#   scripts/fuzz_parsers.sh [SECONDS] [loop|sched]     600 seconds each, both, in build-fuzz/
# Seeds are the bundled files; the corpus grows in build-fuzz/corpus. A finding is a file in build-fuzz/findings and status 1.
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/common.sh"

seconds=${1:-600}
languages=${2:-loop sched}
[[ $seconds =~ ^[1-9][0-9]*$ ]] || fail 2 "'$seconds' is no number of seconds."
[[ " loop sched loop sched " == *" $languages "* ]] || fail 2 "'$languages' is no parser: say loop or sched."

ensure_packages "to fuzz the parsers" build fuzz
configure fuzz build-fuzz
# shellcheck disable=SC2086 # two words are two targets
build build-fuzz $(printf 'fuzz_%s_parser ' $languages)
status=0
for language in $languages; do
    corpus=$root/build-fuzz/corpus/$language
    findings=$root/build-fuzz/findings/$language
    seeds=$root/build-fuzz/seeds/$language
    mkdir -p "$corpus" "$findings" "$seeds"
    cp "$root"/resources/pipelines/*."$language" "$seeds"/
    say "Fuzzing the parser of .$language for $seconds s."
    # A slow or a greedy input is a finding too: ten seconds, 1 GB.
    "$root/build-fuzz/bin/fuzz_${language}_parser" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=1500 -max_len=8192 \
        -dict="$root/tests/fuzz_parsers/$language.dict" -artifact_prefix="$findings/" -print_final_stats=1 \
        "$corpus" "$seeds" >"$root/build-fuzz/$language.log" 2>&1 || status=1
    grep -E '^(stat::number_of_executed|stat::peak_rss|SUMMARY|Done|==[0-9]+==ERROR)' "$root/build-fuzz/$language.log" || true
done
[ "$status" = 0 ] || fail 1 "there are findings in build-fuzz/findings (the logs beside say what)."
say "No finding."
