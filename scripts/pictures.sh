#!/bin/bash
# Renders the window and each of its panels into a folder, in both themes, at two sizes, at 100 % and 200 %, to be looked
# at: scripts/pictures.sh FOLDER [PIPELINE]. Without PIPELINE it is harris under its shipped schedule, against the default
# one. LOOPSCOPE names the program; without it that of build/bin is taken.
set -eu
cd "$(dirname "$0")/.."
folder=${1:?usage: scripts/pictures.sh FOLDER [PIPELINE]}
name=${2:-harris}
program=${LOOPSCOPE:-build/bin/loopscope}
mkdir -p "$folder"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
default=$scratch/default.sched
echo "schedule for $name" >"$default"
pipeline=resources/pipelines/$name.loop
schedule=resources/pipelines/$name.cpu.sched
panels="window pipeline history tree inspector source measurements compare estimate roofline script help"

picture() { # NAME THEME SIZE SCALE ARGUMENT...
  local file="$folder/$1-$2-$3-$4x.png"
  local theme=$2 size=$3 scale=$4
  shift 4
  "$program" "$@" --theme "$theme" --size "$size" --scale "$scale" --screenshot "$file" 2> >(grep -v "^This plugin does not support" >&2)
}

for theme in light dark; do
  for size in 1280x800 1920x1200; do
    for scale in 1 2; do
      picture start $theme $size $scale
      for panel in $panels; do
        opened=("$pipeline" -s "$schedule" --baseline "$default" --device "${DEVICE:-host}")
        [ "$panel" = window ] || opened+=(--panel "$panel" --only-panel)
        picture "$panel" $theme $size $scale "${opened[@]}"
      done
    done
  done
  for layout in teach tune; do
    picture "layout-$layout" $theme 1440x900 1 "$pipeline" -s "$schedule" --layout $layout --baseline "$default"
  done
  picture described $theme 1440x900 1 "$pipeline" -s "$schedule" --device i7-6700 --baseline "$default"
  picture empty-measurements $theme 1440x900 1 "$pipeline" --device i7-6700 --panel measurements
done
echo "$(ls "$folder"/*.png | wc -l) pictures in $folder"
