#!/usr/bin/env bash
# Formats the C++ sources by .clang-format: all of them, or the files given. --check changes nothing and fails where something would change.
set -euo pipefail
caller=$PWD
# shellcheck source=scripts/common.sh
source "$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/common.sh"

mode=(-i)
if [ "${1:-}" = --check ]; then
    mode=(--dry-run -Werror)
    shift
fi
command -v clang-format-19 >/dev/null || ensure_packages "to format" tools
if [ $# -gt 0 ]; then
    cd "$caller"
    clang-format-19 "${mode[@]}" "$@"
else
    sources | xargs -0 -r -P "$(nproc)" -n 50 clang-format-19 "${mode[@]}"
fi
