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

# Memory that slides, copies that rotate, loops that two stages share, a program of a hundred stages.
cat >"$scratch/slide.sched" <<'END'
schedule for blur
out.split(y, yo, yi, 16)
out.parallel(yo)
out.vectorize(x, native)
blur_x.compute_at(out, yi)
blur_x.store_at(out, yo)
blur_x.vectorize(x, native)
END
cat >"$scratch/pipeline.sched" <<'END'
schedule for matmul
C.split(k, ko, ki, 64)
C.reorder(i, ko, j, ki)
Bp = C.cache_read(B, local)
Bp.compute_at(C, ko)
Bp.pipeline(3)
END
cat >"$scratch/pair.loop" <<'END'
pipeline pair
input img[y, x]: f32[64, 96] boundary edge
stage low[y, x] = img[y, x-1] + img[y, x] + img[y, x+1]
stage high[y, x] = img[y, x] - low[y, x]/3.0
output low: [64, 96]
output high: [64, 96]
END
cat >"$scratch/pair.sched" <<'END'
schedule for pair
low.split(y, yo, yi, 8)
high.split(y, yo, yi, 8)
high.compute_with(low, yi)
END
# A GPU's: blocks, threads, shared memory and a pipeline.
cat >"$scratch/gpu.sched" <<'END'
schedule for matmul
target h200
CL = C.cache_write(register)
C.tile(i, j, io, jo, ii, ji, 64, 64)
C.bind(io, block.y)
C.bind(jo, block.x)
C.split(ii, it, ir, 4)
C.split(ji, jt, jr, 4)
C.reorder(it, jt, ir, jr)
C.bind(it, thread.y)
C.bind(jt, thread.x)
CL.compute_at(C, jt)
CL.split(k, ko, ki, 16)
CL.reorder(ko, ki, i, j)
As = CL.cache_read(A, shared)
Bs = CL.cache_read(B, shared)
As.compute_at(CL, ko)
Bs.compute_at(CL, ko)
As.pipeline(3)
Bs.pipeline(3)
END
gpu() { # THEME SIZE
  local panel
  for panel in timeline banks findings source estimate roofline; do
    picture gpu-$panel $1 $2 1 resources/pipelines/matmul.loop -s "$scratch/gpu.sched" --panel $panel --select CL/@compute
  done
}
# Shipped schedules for GPUs: of tensor cores, and of plain threads.
gpu_programs() { # THEME SIZE
  local example panel
  for example in matmul_f16 blur; do
    for panel in inspector timeline banks findings source estimate; do
      picture $example-$panel $1 $2 1 resources/pipelines/$example.loop -s resources/pipelines/$example.gpu.sched \
        --device h200 --panel $panel
    done
  done
}
directives() { # THEME SIZE
  local pipelines=resources/pipelines
  picture slide $1 $2 1 $pipelines/blur.loop -s "$scratch/slide.sched" --select blur_x/@storage
  picture pipelined $1 $2 1 $pipelines/matmul.loop -s "$scratch/pipeline.sched" --select Bp/@stage
  picture shared $1 $2 1 "$scratch/pair.loop" -s "$scratch/pair.sched" --select high/@stage
  picture hundred $1 $2 1 $pipelines/local_laplacian.loop -s $pipelines/local_laplacian.cpu.sched
}

for theme in light dark; do
  directives $theme 1280x800
  directives $theme 1920x1200
  gpu $theme 1280x800
  gpu $theme 1920x1200
  for size in 1100x700 1440x900 1920x1200; do
    gpu_programs $theme $size
  done
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
