#!/usr/bin/env bash
# Runs the judges of formats of files from outside (tests/fuzz_formats) under libFuzzer with the address and undefined-behaviour
# sanitizers:
#   scripts/fuzz_formats.sh [SECONDS] [FORMAT...]     600 seconds each, all, in build-fuzz/; as many at a time as LOOPSCOPE_JOBS says
# It begins with what is kept and bundled; what it adds grows in build-fuzz/corpus. A finding is a file in build-fuzz/findings, and
# status 1.
#   scripts/fuzz_formats.sh keep FORMAT...            the smallest of what reaches more than the kept corpus is added to it
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/common.sh"

sources=$root/tests/fuzz_formats
made=$root/build-fuzz
mapfile -t all < <(sed -n 's/^foreach(format \(.*\))$/\1/p' "$sources/libfuzzer/CMakeLists.txt" | tr ' ' '\n')

keep=
seconds=600
if [ "${1:-}" = keep ]; then
    keep=1
    shift
elif [ $# -gt 0 ]; then
    seconds=$1
    shift
fi
[[ $seconds =~ ^[1-9][0-9]*$ ]] || fail 2 "'$seconds' is no number of seconds."
formats=("$@")
[ $# -gt 0 ] || formats=("${all[@]}")
for format in "${formats[@]}"; do
    [[ " ${all[*]} " == *" $format "* ]] || fail 2 "'$format' is none of the formats: ${all[*]}."
done

seeds_of() { # seeds_of FORMAT: folders to begin with
    printf '%s\n' "$sources/corpus/$1"
    case $1 in
    loop | sched) printf '%s\n' "$made/seeds/$1" ;;
    device) printf '%s\n' "$root/resources/devices" ;;
    esac
}

fuzz() { # fuzz FORMAT: status 1 with a finding
    local format=$1 options=() seeds log=$made/$1.log
    mapfile -t seeds < <(seeds_of "$format")
    [ ! -f "$sources/$format.dict" ] || options=(-dict="$sources/$format.dict")
    mkdir -p "$made/corpus/$format" "$made/findings/$format"
    # A slow or a greedy input is a finding too: ten seconds, 1.5 GB.
    "$made/bin/fuzz_$format" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=1500 -max_len=65536 "${options[@]}" \
        -artifact_prefix="$made/findings/$format/" -print_final_stats=1 "$made/corpus/$format" "${seeds[@]}" >"$log" 2>&1 && return 0
    [ -n "$(ls "$made/findings/$format")" ] || fail 2 "fuzz_$format ended without a finding ($log)."
    say "$format: a finding ($log):"
    grep -E '^(SUMMARY|==[0-9]+==ERROR|Test unit written)' "$log" | sed 's/^/  /' || true
    return 1
}

ensure_packages "to fuzz formats" build fuzz
configure fuzz build-fuzz
build build-fuzz "${formats[@]/#/fuzz_}"
mkdir -p "$made"/seeds/{loop,sched}
for language in loop sched; do
    cp "$root"/resources/pipelines/*."$language" "$made/seeds/$language"/
done

if [ "$keep" ]; then
    for format in "${formats[@]}"; do
        # libFuzzer adds to the first folder what of the others reaches what it does not. The first begins as what is there.
        kept=$made/kept/$format
        rm -rf "$kept"
        mkdir -p "$kept" "$made/corpus/$format" "$sources/corpus/$format"
        mapfile -t seeds < <(seeds_of "$format")
        for folder in "${seeds[@]}"; do cp "$folder"/* "$kept"/; done
        touch "$made/kept/began"
        "$made/bin/fuzz_$format" -merge=1 -max_len=65536 "$kept" "$made/corpus/$format" >"$made/$format.merge.log" 2>&1 ||
            fail 2 "libFuzzer could not choose ($made/$format.merge.log)."
        # The smallest of them: what is kept is read by every test run.
        find "$kept" -type f -newer "$made/kept/began" -printf '%s\t%p\n' | sort -n |
            awk -F '\t' 'NR <= 25 && (bytes += $1) < 100000 { print $2 }' | xargs -r -d '\n' cp -t "$sources/corpus/$format"
        say "$format: $(find "$sources/corpus/$format" -type f | wc -l) files are kept."
    done
    exit 0
fi

status=0
running=0
jobs=$(jobs_to_use)
for format in "${formats[@]}"; do
    [ "$running" -lt "$jobs" ] || { wait -n || status=1; running=$((running - 1)); }
    say "Fuzzing $format for $seconds s."
    fuzz "$format" &
    running=$((running + 1))
done
while [ "$running" -gt 0 ]; do
    wait -n || status=1
    running=$((running - 1))
done
for format in "${formats[@]}"; do
    say "$format: $(sed -n 's/^stat::number_of_executed_units: *//p' "$made/$format.log") inputs, at most" \
        "$(sed -n 's/^stat::peak_rss_mb: *//p' "$made/$format.log") MB."
done
[ "$status" = 0 ] || fail 1 "there are findings in build-fuzz/findings (the logs beside say what)."
say "No finding."
