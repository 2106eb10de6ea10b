#!/usr/bin/env bash
# Judges random pairs of pipeline and schedule (tests/fuzz) in several processes:
#   scripts/fuzz.sh N [SEED] [JOBS]     N pairs from SEED on (1000000), JOBS processes at a time (one a core)
# Each process judges a part of them within a bounded address space. One that crashes leaves its pair behind, which is shrunk in the
# end, and the next one goes on behind it; so does the whole run where it is started again with the same N and SEED. Bad pairs are
# saved as files, with the command that judges each again. One summary ends the output; status 1: some pair was bad,
# or was not judged.
#   LOOPSCOPE_FUZZ_KIND     gpu: schedules for GPUs, in the interpreter of SIMT programs
#   LOOPSCOPE_FUZZ_FOLDER   where all of it goes; build/fuzz/SEED-N, of GPUs build/fuzz/gpu-SEED-N
#   LOOPSCOPE_FUZZ_PROGRAM  the program; build/bin/test_fuzz, which is built first. One of another build, such as
#                           build-asan/bin/test_fuzz, is taken as it is
#   LOOPSCOPE_FUZZ_PART     pairs of a process; 400
#   LOOPSCOPE_FUZZ_MEMORY   its address space in megabytes; 6000. 0: unbounded, which sanitizers need
# and those that tests/fuzz/README.md lists.
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/common.sh"

pairs=${1:-} seed=${2:-1000000}
[[ $pairs =~ ^[1-9][0-9]*$ && $seed =~ ^[0-9]+$ ]] || fail 2 "say how many pairs: scripts/fuzz.sh N [SEED] [JOBS]"
jobs=${3:-$(jobs_to_use)}
case ${LOOPSCOPE_FUZZ_KIND:-cpu} in
cpu) name=$seed-$pairs tests=Fuzz.PairsAgree ;;
gpu) name=gpu-$seed-$pairs tests=FuzzGpu.PairsAgree ;;
*) fail 2 "LOOPSCOPE_FUZZ_KIND is cpu or gpu" ;;
esac
folder=${LOOPSCOPE_FUZZ_FOLDER:-$root/build/fuzz/$name}
part=${LOOPSCOPE_FUZZ_PART:-400}
memory=${LOOPSCOPE_FUZZ_MEMORY:-6000}
program=${LOOPSCOPE_FUZZ_PROGRAM:-}
if [ -z "$program" ]; then
    ensure_packages "to build and test Loopscope" build test
    configure release build LOOPSCOPE_BUILD_TESTS=ON
    build build test_fuzz
    program=$root/build/bin/test_fuzz
fi
mkdir -p "$folder/bad"

limited() { # limited COMMAND...: at low priority, in a bounded address space
    [ "$memory" = 0 ] || ulimit -v $((memory * 1000))
    exec nice -n 10 "$@"
}

# judge_part FIRST END: from FIRST on to before END, process after process until none crashes.
judge_part() {
    local at=$1 end=$2 name=$folder/part-$1 figures left bad status judged
    [ ! -e "$name.done" ] || return 0
    rm -f "$name".*
    while [ "$at" -lt "$end" ]; do
        figures=$name.$at.figures left=$folder/bad/running-$at
        rm -f "$left".*
        status=0
        (
            export LOOPSCOPE_FUZZ_PAIRS=$((end - at)) LOOPSCOPE_FUZZ_SEED=$at LOOPSCOPE_FUZZ_MOST_BAD=1000000
            export LOOPSCOPE_FUZZ_SAVE=$folder/bad LOOPSCOPE_FUZZ_FIGURES=$figures
            limited timeout $((600 + (end - at) * 10)) "$program" --gtest_filter="$tests"
        ) >"$name.$at.log" 2>&1 || status=$?
        touch "$figures"
        if [ ! -e "$left.sched" ]; then
            # Before its first pair, or behind its last; or the process gave up, and its log says why.
            judged=$(awk '$1 == "pairs" { n += $2 } END { print n + 0 }' "$figures")
            [[ $status -le 1 && $judged -ge $((end - at)) ]] || printf 'crashes 1\n' >>"$figures"
            break
        fi
        bad=$(sed -n 's/^# seed of the inputs: //p' "$left.sched")
        mv "$left.loop" "$folder/bad/crash-$bad.loop"
        mv "$left.sched" "$folder/bad/crash-$bad.sched"
        printf 'status %d\n' "$status" >"$folder/bad/crash-$bad.status"
        sed -i '/^pairs /d' "$figures"
        printf 'pairs %d\ncrashes 1\n' $((bad - at + 1)) >>"$figures"
        at=$((bad + 1))
    done
    touch "$name.done"
    say "  seeds $1 to $((end - 1)): $(awk '{ sum[$1] += $2 }
        END { printf "%d pairs, %d bad, %d crashes", sum["pairs"], sum["bad"], sum["crashes"] }' "$name".*.figures)"
}

say "$pairs pairs from seed $seed, $jobs processes at a time, $part pairs each, in $folder"
export -f judge_part limited say
export folder memory program tests
parts() { # "FIRST END" of each
    local first end
    for ((first = seed; first < seed + pairs; first += part)); do
        end=$((first + part))
        [ "$end" -le $((seed + pairs)) ] || end=$((seed + pairs))
        printf '%d %d\n' "$first" "$end"
    done
}
# shellcheck disable=SC2016 # the inner shell expands them
parts | xargs -P "$jobs" -L 1 bash -c 'set -u; judge_part "$1" "$2"' part

for crash in "$folder"/bad/crash-*.loop; do
    crash=${crash%.loop}
    # An empty one is of a pair that could not be drawn: its seed is all there is.
    [[ -s $crash.loop && $crash != *.small && ! -e $crash.small.loop ]] || continue
    say "shrinking $crash"
    (
        export LOOPSCOPE_FUZZ_PAIR=$crash LOOPSCOPE_FUZZ_SHRINK=1
        limited "$program" --gtest_filter=Fuzz.SavedPair
    ) >"$crash.log" 2>&1 || true
done

if [ "$tests" = FuzzGpu.PairsAgree ]; then
    awk -v wall=$SECONDS -v wanted="$pairs" '
        $1 == "outcome" || $1 == "agreeing" || $1 == "refused" {
            kind = $1; count = $2; sub(/^[a-z]+ [0-9]+ /, ""); tally[kind " " $0] += count; next }
        $1 == "peak_kilobytes" { if ($2 > peak) peak = $2; next }
        { sum[$1] += $2 }
        function print_all(kind, n, i, j, t, lines) {
            for (what in tally)
                if (index(what, kind " ") == 1) lines[++n] = what
            for (i = 2; i <= n; i++) # mawk has no sort
                for (j = i; j > 1 && tally[lines[j]] > tally[lines[j - 1]]; j--) { t = lines[j]; lines[j] = lines[j - 1]; lines[j - 1] = t }
            for (i = 1; i <= n; i++) printf "  %6d  %s\n", tally[lines[i]], substr(lines[i], length(kind) + 2)
        }
        END {
            printf "pairs %d, with tensor instructions %d, of which agree %d\n", sum["pairs"], sum["tensor"], sum["tensor_agree"]
            print_all("outcome")
            print "of those that agree have"; print_all("agreeing")
            print "not runnable, by the first reason"; print_all("refused")
            printf "bad pairs %d, crashes %d; %d s of this run, %d s of all processes; greatest memory of a process %d MB\n", sum["bad"], sum["crashes"], wall, sum["seconds"], peak / 1024
            if (sum["pairs"] < wanted)
                printf "%d pairs were not judged: the logs of parts that crashed say why\n", wanted - sum["pairs"]
            exit sum["bad"] + sum["crashes"] > 0 || sum["pairs"] < wanted
        }' "$folder"/part-*.figures || fail 1 "the bad pairs are in $folder/bad"
    exit 0
fi

awk -v wall=$SECONDS -v wanted="$pairs" '
    $1 == "cell" { cell[$2 " " $3] += $4; verbs[$2] = 1; next }
    $1 == "beside" { beside[$2 " " $3] += $4; next }
    $1 == "stacked" { stacked[$2 " " $3] += $4; next }
    $1 == "peak_kilobytes" { if ($2 > peak) peak = $2; next }
    { sum[$1] += $2 }
    END {
        printf "directive          pure  reduction     update\n"
        count = 0
        for (v in verbs) names[++count] = v
        for (i = 2; i <= count; i++) # mawk has no sort
            for (j = i; j > 1 && names[j] < names[j - 1]; j--) { t = names[j]; names[j] = names[j - 1]; names[j - 1] = t }
        for (i = 1; i <= count; i++) {
            v = names[i]
            printf "%-16s %7d %10d %10d\n", v, cell[v " pure"], cell[v " reduction"], cell[v " update"]
        }
        printf "pairs of directives: %d in one schedule, %d on one stage\n", length(beside), length(stacked)
        printf "pairs %d, of those interpreted too %d, as exported C too %d, reassociating %d, too large to judge %d, not judged otherwise %d\n", sum["pairs"], sum["interpreted"], sum["exported"], sum["reassociating"], sum["too_large"], sum["unjudged"]
        printf "bad pairs %d, crashes %d; %d s of this run, %d s of all processes; greatest memory of a process %d MB\n", sum["bad"], sum["crashes"], wall, sum["seconds"], peak / 1024
        if (sum["pairs"] < wanted)
            printf "%d pairs were not judged: the logs of parts that crashed say why\n", wanted - sum["pairs"]
        exit sum["bad"] + sum["crashes"] > 0 || sum["pairs"] < wanted
    }' "$folder"/part-*.figures || fail 1 "the bad pairs are in $folder/bad"
