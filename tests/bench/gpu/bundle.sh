#!/bin/sh
# Makes the bundle that this folder's README describes: tests/bench/gpu/bundle.sh [FOLDER], else build/gpu-jobs. It runs on a machine with
# a GPU and NVIDIA's driver, and there by one command: FOLDER/run.sh [RESULTS].
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
folder=${1:-$root/build/gpu-jobs}
"${LOOPSCOPE_CLI:-$root/build/bin/loopscope-cli}" bundle "$folder" --jobs "$here/jobs.json" --arch "${ARCH:-sm_80,sm_90}" --with-agent
cp "$here/run.sh" "$folder/run.sh"
echo "or with its peers, by one command: $folder/run.sh"
