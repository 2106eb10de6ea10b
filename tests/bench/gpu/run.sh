#!/bin/sh
# Runs the bundle that this file lies in: run.sh [RESULTS [OPTION...]]. Into the folder RESULTS, else the current one, go results.json, of all
# jobs; peer.json, what PyTorch takes for the same, where it is found; devices.json, the GPU with what it was measured to reach. Options are
# the agent's and peer.py's alike: --job NAME, --budget SECONDS. Exit status: the agent's.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
results=${1:-.}
[ $# -eq 0 ] || shift
mkdir -p "$results"
status=0
"$here/loopscope-agent" run "$here" --out "$results/results.json" --budget 1 "$@" || status=$?
"$here/loopscope-agent" devices --measure >"$results/devices.json" || rm -f "$results/devices.json"
python3 "$here/peer.py" --folder "$here" --out "$results/peer.json" --budget 1 "$@" ||
    echo "the peers were not timed, or not all of them" >&2
exit $status
