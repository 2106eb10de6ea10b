#!/usr/bin/env bash
# Builds Loopscope and opens it: installs what is missing (apt), builds in release, and
#   with a display      opens the explorer on the bundled harris.loop, or with the given arguments;
#   without a display   does the same job in the terminal, or passes the arguments to loopscope-cli (./run.sh --help).
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=scripts/common.sh
source "$here/scripts/common.sh"

ensure_packages "to build and run Loopscope" build
settings=()
[ "$(cached "$root/build" LOOPSCOPE_BUILD_TESTS)" = ON ] || settings=(LOOPSCOPE_BUILD_TESTS=OFF) # test.sh turns them on
configure release build "${settings[@]}"
build build loopscope loopscope-cli loopscope-worker loopscope-opencl-worker

bin=$root/build/bin
pipeline=resources/pipelines/harris.loop
schedule=resources/pipelines/harris.cpu.sched

if [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ]; then
    [ $# -gt 0 ] || set -- "$root/$pipeline"
    exec "$bin/loopscope" "$@"
fi
[ $# -eq 0 ] || exec "$bin/loopscope-cli" "$@"

# The tour of the terminal. Its paths are relative to the checkout: short, and each line can be tried by hand there.
cd "$root"
mkdir -p out
cli=build/bin/loopscope-cli
photo=$(printf '%s\n' resources/images/*.png | head -n 1)
if [ -z "${XDG_RUNTIME_DIR:-}" ]; then # Qt complains without one
    XDG_RUNTIME_DIR=$(mktemp -d)
    export XDG_RUNTIME_DIR
    trap 'rm -rf "$XDG_RUNTIME_DIR"' EXIT
fi

step() { # step HEADING [">FILE"] COMMAND...: shows it, runs it (into FILE), and ends the tour with its status if it fails
    local heading=$1 output='' status=0 words
    shift
    if [[ $1 == ">"* ]]; then
        output=${1#>}
        shift
    fi
    printf -v words ' %q' "$@"
    printf '\n== %s\n$%s%s\n' "$heading" "$words" "${output:+ >$output}"
    if [ "$output" ]; then "$@" >"$output" || status=$?; else "$@" || status=$?; fi
    [ $status -eq 0 ] || fail $status "the step \"$heading\" failed with status $status."
}

say "No display here, so the explorer's job is done in the terminal."
step "The pipeline" "$cli" show "$pipeline"
step "How it runs without a schedule" "$cli" tree "$pipeline"
step "How it runs with the shipped schedule" "$cli" tree "$pipeline" -s "$schedule"
step "Estimate without a schedule" "$cli" estimate "$pipeline" --device host
step "Estimate with the shipped schedule" "$cli" estimate "$pipeline" -s "$schedule" --device host
step "Check against the reference, without a schedule" "$cli" check "$pipeline"
step "Check against the reference, with the shipped schedule" "$cli" check "$pipeline" -s "$schedule"
step "Measurement without a schedule" "$cli" measure "$pipeline"
step "Measurement with the shipped schedule" "$cli" measure "$pipeline" -s "$schedule"
step "Corners of a photograph" "$cli" run "$pipeline" -s "$schedule" --input "img=$photo" --output corners=out/corners.png
step "A picture of the window" \
    env QT_QPA_PLATFORM=offscreen build/bin/loopscope "$pipeline" -s "$schedule" --screenshot out/harris.png
step "The schedule as text" ">out/harris.sched" "$cli" format "$schedule"

printf '\nWritten: out/harris.png (the window), out/corners.png (the result), out/harris.sched (the schedule).\n'
say "With a display, ./run.sh opens the window instead. Next: ./run.sh --help, ./test.sh, README.md."
