# shellcheck shell=bash
# What run.sh, test.sh and the other scripts share: installing Debian packages, configuring, building, telling how it goes.
# Sourced, never run. Sets `root`, the checkout's folder.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)

say() { printf '%s\n' "$*"; }
fail() { # fail STATUS MESSAGE...
    local status=$1
    shift
    printf 'error: %s\n' "$*" >&2
    exit "$status"
}

# --- packages ---------------------------------------------------------------------------------------------------------

packages_of() { # packages_of GROUP...: their names in packages.txt
    local group package
    while read -r group package _; do
        [[ " $* " == *" $group "* ]] && printf '%s\n' "$package"
    done <"$root/scripts/packages.txt"
    return 0
}

packages_missing() { # packages_missing NAME...: those not installed, by dpkg's own database
    local name state installed=" "
    while read -r name state; do
        [ "$state" = installed ] && installed+="$name "
    done < <(dpkg-query -W -f '${Package} ${db:Status-Status}\n' "$@" 2>/dev/null)
    for name in "$@"; do
        [[ $installed == *" $name "* ]] || printf '%s\n' "$name"
    done
}

try_three_times() { # try_three_times LOG COMMAND...: mirrors and locks fail for a moment; a third failure is the answer
    local log=$1 attempt
    shift
    for attempt in 1 2 3; do
        "$@" >>"$log" 2>&1 && return 0
        [ "$attempt" = 3 ] || sleep $((attempt * 3))
    done
    return 1
}

# install_packages LOG AS_ROOT_AND_APT... -- NAME...: those that are servers, which tests start by themselves on ports of their own, are
# installed without their service: it is neither started nor begins with the system.
install_packages() {
    local log=$1 command=() as_root=() services=() policy=/usr/sbin/policy-rc.d name status=0
    shift
    while [ "$1" != -- ]; do
        command+=("$1")
        shift
    done
    shift
    [ "${command[0]}" = sudo ] && as_root=(sudo)
    for name in "$@"; do
        case $name in
        openssh-server) services+=(ssh.service ssh.socket) ;;
        slurm-wlm) services+=(slurmctld.service slurmd.service) ;;
        munge) services+=(munge.service) ;;
        esac
    done
    # In a shell of its own, whose end takes the policy away again, however it comes.
    (
        if [ ${#services[@]} -gt 0 ] && [ ! -e $policy ]; then
            trap '"${as_root[@]}" rm -f $policy' EXIT
            trap 'exit 130' INT TERM HUP
            printf '#!/bin/sh\nexit 101\n' | "${as_root[@]}" tee $policy >/dev/null
            "${as_root[@]}" chmod 755 $policy
        fi
        try_three_times "$log" "${command[@]}" install -y --no-install-recommends "$@"
    ) || status=1
    if [ ${#services[@]} -gt 0 ] && command -v systemctl >/dev/null; then
        "${as_root[@]}" systemctl disable "${services[@]}" >>"$log" 2>&1 || true
    fi
    return $status
}

# ensure_packages PURPOSE GROUP...: installs what is missing of those groups; without a word and without apt when nothing is.
ensure_packages() {
    local purpose=$1 as_root=() missing wanted by_hand log apt start=$SECONDS
    shift
    if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
        say "Not a Debian system: taking it that the equivalents of scripts/packages.txt are installed."
        return 0
    fi
    mapfile -t wanted < <(packages_of "$@")
    mapfile -t missing < <(packages_missing "${wanted[@]}")
    [ ${#missing[@]} -gt 0 ] || return 0

    say "Installing ${#missing[@]} of ${#wanted[@]} Debian packages, $purpose (scripts/packages.txt says what each is for): ${missing[*]}"
    by_hand="As root, run:
  apt-get update && apt-get install --no-install-recommends ${missing[*]}"
    if [ "$(id -u)" != 0 ]; then
        command -v sudo >/dev/null || fail 3 "installing needs root, and there is no sudo here. $by_hand"
        sudo -n true 2>/dev/null || sudo -v || fail 3 "sudo did not let us become root. $by_hand"
        as_root=(sudo)
    fi
    apt=(env DEBIAN_FRONTEND=noninteractive apt-get -q -o Acquire::Retries=3 -o Acquire::http::Timeout=30
        -o APT::Update::Error-Mode=any -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0)
    log=$(mktemp "${TMPDIR:-/tmp}/loopscope-apt.XXXXXX")
    # A failed update is not the end: the lists that are there may do, and if not, the install says what is wrong.
    try_three_times "$log" "${as_root[@]}" "${apt[@]}" update || say "  apt-get update failed; going on with the package lists that are here."
    if ! install_packages "$log" "${as_root[@]}" "${apt[@]}" -- "${missing[@]}"; then
        grep -E '^(E: |dpkg: )' "$log" | tail -n 4 | cut -c1-200 >&2 || true
        fail 3 "apt-get could not install the packages ($log has all of it). Is there a network? $by_hand"
    fi
    rm -f "$log"
    say "  installed in $((SECONDS - start)) s."
}

# --- building ---------------------------------------------------------------------------------------------------------

jobs_to_use() { # as many as there are cores, but 2 GB for each: a file that includes much of LLVM or Qt takes 1 GB
    local cores memory
    cores=$(nproc)
    memory=$(awk '/^MemAvailable:/ { print int($2 / 2000000) }' /proc/meminfo)
    [ "${memory:-1}" -ge "$cores" ] || cores=${memory:-1}
    [ "$cores" -ge 1 ] || cores=1
    say "${LOOPSCOPE_JOBS:-$cores}"
}

cached() { # cached FOLDER NAME: a value of FOLDER's CMake cache, or nothing
    sed -n "s|^$2:[^=]*=||p" "$1/CMakeCache.txt" 2>/dev/null || true
}

# configure PRESET FOLDER [NAME=VALUE...]: runs CMake where FOLDER is not configured like that already.
configure() {
    local preset=$1 folder=$root/$2 log arguments=() setting stale=
    shift 2
    mkdir -p "$folder" 2>/dev/null || true
    [ -w "$folder" ] || fail 2 "$folder cannot be written to. Was it made by another user? Remove it, or take it over with chown."
    [ -f "$folder/build.ninja" ] && [ ! "$root/CMakePresets.json" -nt "$folder/build.ninja" ] || stale=1
    for setting in "$@"; do
        arguments+=("-D$setting")
        [ "$(cached "$folder" "${setting%%=*}")" = "${setting#*=}" ] || stale=1
    done
    # A checkout that was moved or copied has a cache that names the old place: start afresh.
    if [ -f "$folder/CMakeCache.txt" ] && [ "$(cached "$folder" CMAKE_HOME_DIRECTORY)" != "$root" ]; then
        arguments+=(--fresh)
        stale=1
    fi
    [ "$stale" ] || return 0
    log=$folder/configure.log
    if ! (cd "$root" && cmake --preset "$preset" "${arguments[@]}") >"$log" 2>&1; then
        grep -A 12 -E '^CMake Error|^ERROR' "$log" >&2 || tail -n 30 "$log" >&2
        fail 2 "CMake could not configure ($log has all of it)."
    fi
}

# show_progress LABEL: reads ninja's output; prints one line that is updated on a terminal, or one per tenth elsewhere.
show_progress() {
    local label=$1 line done_count total tenth last=-1
    while IFS= read -r line; do
        [[ $line =~ ^\[([0-9]+)/([1-9][0-9]*)\] ]] || continue
        done_count=${BASH_REMATCH[1]} total=${BASH_REMATCH[2]}
        tenth=$((done_count * 10 / total))
        if [ -t 1 ]; then
            printf '\r%s: %d of %d ' "$label" "$done_count" "$total"
        elif [ "$tenth" != "$last" ] && [ "$total" -ge 10 ]; then
            printf '%s: %d of %d\n' "$label" "$done_count" "$total"
        fi
        last=$tenth
    done
    if [ -t 1 ] && [ "$last" != -1 ]; then printf '\n'; fi
}

# build FOLDER [TARGET...]: quiet while it goes well; shows the errors, and only them, when it does not.
build() {
    local folder=$root/$1 log=$root/$1/build.log
    shift
    NINJA_STATUS='[%f/%t] ' ninja -C "$folder" -j "$(jobs_to_use)" "$@" 2>&1 | tee "$log" | show_progress Building &&
        return 0
    # From the first failure on; ninja repeats the command, which nobody wants to read.
    awk '/^FAILED: /{ on = 1; skip = 1; print; next } skip { skip = 0; next } on && !/^\[[0-9]+\/[0-9]+\]/' "$log" | head -n 80 >&2
    grep -q '^FAILED: ' "$log" || tail -n 20 "$log" >&2
    fail 2 "the build failed ($log has all of it)."
}

# --- testing ----------------------------------------------------------------------------------------------------------

# fuzz_seed: from which seed random cases are drawn. It differs from commit to commit, so that in time many are tried, and is the
# same for everybody who tests one, so that what failed for one fails for all.
fuzz_seed() {
    local commit
    commit=$(git -C "$root" rev-parse --short=7 HEAD 2>/dev/null) || commit=1
    say $((16#${commit:0:7}))
}

# before_summary COMMAND...: passes on what CTest prints, with what the command prints before its summary.
before_summary() {
    local line
    while IFS= read -r line; do
        [[ $line =~ ^[0-9]+%\ tests\ passed ]] && { "$@" || true; printf '\n'; }
        printf '%s\n' "$line"
    done
}

# run_tests FOLDER [CTEST-ARGUMENT...]: with a home of their own, so that no test reads or writes a person's settings and caches.
# As many as there are cores run at once; what mostly waits counts as half of one (PROCESSORS, cmake/targets.cmake).
# The ten slowest, and what was skipped, are listed before CTest's summary, which ends the output.
run_tests() {
    local folder=$root/$1 home status=0 fixed=()
    shift
    # Where the kernel spreads mappings over more than 28 bits, the sanitizers of GCC 12 find no room now and then: no spreading, then.
    if [ "$(cat /proc/sys/vm/mmap_rnd_bits 2>/dev/null || echo 0)" -gt 28 ] && setarch "$(uname -m)" -R true 2>/dev/null; then
        fixed=(setarch "$(uname -m)" -R)
    fi
    home=$(mktemp -d "${TMPDIR:-/tmp}/loopscope-test.XXXXXX")
    mkdir -m 700 "$home/runtime"
    rm -rf "$folder/Testing/times"
    export LOOPSCOPE_FUZZ_SEED=${LOOPSCOPE_FUZZ_SEED:-$(fuzz_seed)}
    say "Random cases are drawn from seed $LOOPSCOPE_FUZZ_SEED on (LOOPSCOPE_FUZZ_SEED)."
    env -u DISPLAY -u WAYLAND_DISPLAY QT_QPA_PLATFORM=offscreen XDG_RUNTIME_DIR="$home/runtime" XDG_CACHE_HOME="$home/cache" \
        XDG_CONFIG_HOME="$home/config" XDG_DATA_HOME="$home/data" XDG_STATE_HOME="$home/state" \
        "${fixed[@]}" ctest --test-dir "$folder" --output-on-failure -j"$((2 * $(nproc)))" "$@" 2>&1 |
        before_summary "$root/scripts/test_summary.py" "$folder/Testing" || status=$?
    rm -rf "$home"
    return $status
}

# test_programs_of FOLDER PATH...: the programs that test these files or folders, by the lists in tests/CMakeLists.txt.
test_programs_of() {
    local list=$root/$1/test_programs.txt path place found
    shift
    for path in "$@"; do
        place=$(realpath --relative-to="$root" "$path")
        while [ "$place" != . ]; do
            found=$(awk -v place="$place" '$1 == place { print $2 }' "$list")
            [ -z "$found" ] || break
            place=$(dirname "$place")
        done
        [ -n "$found" ] || fail 2 "no program tests $path alone: run ./test.sh."
        printf '%s\n' "$found"
    done | sort -u
}

# shorten_for FOLDER PROGRAM PATH...: what is run of the programs that test these, of which PROGRAM is the first: of a file of tests its
# tests; of other files, for the minute between two edits, what does not take long (tests/support/quick_run.h); of folders everything.
shorten_for() {
    local program=$root/$1/bin/$2 path filter
    shift 2
    for path in "$@"; do
        [ -f "$path" ] || return 0
    done
    if [ $# = 1 ]; then
        filter=$("$root/scripts/tests_in_file.py" "$program" "$1")
        [ -z "$filter" ] || { export GTEST_FILTER=$filter; return 0; }
    fi
    export LOOPSCOPE_QUICK_RUN=1
    say "Tests that take long are left out: name the folder to run them."
}

# sources: every C++ file of ours, ended by zero bytes.
sources() {
    find "$root"/{core,compiler,tuner,views,app,tests} \( -name '*.cpp' -o -name '*.h' \) -print0 2>/dev/null | sort -z
}
