#!/bin/bash
# Runs every image program under its shipped schedule on the shipped photograph, at the photograph's size, and writes what it
# gives as pictures to be looked at: scripts/photographs.sh FOLDER [PROGRAM...]. What a program takes beside or in place of the
# photograph (noise, holes, a sensor's raw data, a second camera) is made from it by scripts/photographs/*.loop, and stands in
# FOLDER as PROGRAM-in.png, or in FOLDER/arrays where it is no picture. Prints each command. LOOPSCOPE_CLI names the program;
# without it that of build/bin is taken. tests/programs/photographs.md has what was seen.
set -eu
cd "$(dirname "$0")/.."
folder=${1:?usage: scripts/photographs.sh FOLDER [PROGRAM...]}
shift
cli=${LOOPSCOPE_CLI:-build/bin/loopscope-cli}
photograph=resources/images/rocket.png
mkdir -p "$folder/arrays"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
[ $# -gt 0 ] || set -- bilateral_grid bilateral_guided_upsampling blur camera_pipe copy harris histogram_equalise iir_blur interpolate \
  lens_blur local_laplacian mask max_filter non_local_means pyramid_blend stencil_chain transpose transpose_mask unsharp vdsr

quietly() { # prints only what went wrong
  "$@" >"$scratch/log" 2>&1 || { cat "$scratch/log" >&2; exit 1; }
}

make() { # make OUTPUT FILE: an output of prepare.loop, from the photograph
  quietly "$cli" run scripts/photographs/prepare.loop --input img=$photograph --output "$1=$2"
}

run() { # run PROGRAM ARGUMENT...
  local name=$1
  shift
  local command=(run "resources/pipelines/$name.loop" -s "resources/pipelines/$name.cpu.sched" "$@")
  echo "loopscope-cli ${command[*]}"
  quietly "$cli" "${command[@]}"
}

show() { # show TYPE EXPRESSION FROM.npy TO.png: an array v as three planes of bytes, by an expression of c, y and x
  cat >"$scratch/show.loop" <<END_OF_PIPELINE
pipeline show
param H = 1
param W = 1
input v: $1
stage picture[c, y, x]: u8 = $2
output picture: [3, H, W]
END_OF_PIPELINE
  quietly "$cli" run "$scratch/show.loop" --input "v=$3" --output "picture=$4"
}
show_grey() { show 'f32[H, W]' 'u8(round(255.0*v[y, x]))' "$@"; }
show_planes() { show 'f32[3, H, W]' 'u8(round(255.0*v[c, y, x]))' "$@"; }
show_packed() { show 'i32[H, W]' 'u8(v[y, x] >> (16 - 8*c))' "$@"; }

for name; do
  in=$folder/arrays/$name
  picture=$folder/$name.png
  case $name in
  harris)
    run $name --input img=$photograph --output "corners=$picture" ;;
  histogram_equalise | iir_blur | local_laplacian | unsharp)
    run $name --input img=$photograph --output "out=$picture" ;;
  copy | bilateral_grid)
    make green "$in.npy"
    run $name --input "img=$in.npy" --output "out=$in-out.npy"
    show_grey "$in-out.npy" "$picture" ;;
  transpose)
    make green "$in.npy"
    run $name --param H=640 --param W=427 --input "img=$in.npy" --output "out=$in-out.npy"
    show_grey "$in-out.npy" "$picture" ;;
  max_filter)
    make planes "$in.npy"
    run $name --input "img=$in.npy" --output "out=$in-out.npy"
    show_planes "$in-out.npy" "$picture" ;;
  blur) # its input is two rows and two columns larger than its result
    make green14 "$in.npy"
    run $name --param H=425 --param W=638 --input "img=$in.npy" --output "out=$in-out.npy"
    show 'u16[H, W]' 'u8(v[y, x]/64)' "$in-out.npy" "$picture" ;;
  stencil_chain)
    make green10 "$in.npy"
    run $name --input "img=$in.npy" --output "out=$in-out.npy"
    show 'u16[H, W]' 'u8(v[y, x]/4)' "$in-out.npy" "$picture" ;;
  mask)
    make packed "$in.npy"
    make allowed "$in-allowed.npy"
    run $name --input "img=$in.npy" --input "allowed=$in-allowed.npy" --output "out=$in-out.npy"
    show_packed "$in-out.npy" "$picture" ;;
  transpose_mask)
    make packed "$in.npy"
    make allowed_turned "$in-allowed.npy"
    run $name --input "img=$in.npy" --input "allowed=$in-allowed.npy" --output "out=$in-out.npy"
    show_packed "$in-out.npy" "$picture" ;;
  bilateral_guided_upsampling) # the small picture before and after a curve that brightens what is dark
    make planes "$in.npy"
    make small "$in-before.npy"
    make small_bright "$in-after.npy"
    run $name --input "img=$in.npy" --input "before=$in-before.npy" --input "after=$in-after.npy" --output "out=$in-out.npy"
    show_planes "$in-after.npy" "$folder/$name-in.png"
    show_planes "$in-out.npy" "$picture" ;;
  camera_pipe) # the photograph as a sensor saw it, some of whose pixels are stuck; it is sharp as it is
    quietly "$cli" run scripts/photographs/sensor.loop --input img=$photograph --output "raw=$in.npy"
    run $name --param H=427 --param W=640 --param SHARPEN=0 --input "raw=$in.npy" --output "out=$in-out.npy"
    show 'u16[H, W]' 'u8(v[y, x] >> 2)' "$in.npy" "$folder/$name-in.png"
    show 'u8[H, W, 3]' 'v[y, x, c]' "$in-out.npy" "$picture" ;;
  interpolate)
    make holes "$folder/$name-in.png"
    run $name --input "img=$folder/$name-in.png" --output "out=$picture" ;;
  non_local_means)
    make noisy "$folder/$name-in.png"
    run $name --input "img=$folder/$name-in.png" --output "out=$picture" ;;
  lens_blur) # the background lies in slice 2, the rocket in slice 7
    make right "$folder/$name-in.png"
    run $name --param SLICES=12 --param FOCUS=7 --input left=$photograph --input "right=$folder/$name-in.png" \
      --output "out=$picture" --output "depth=$folder/$name-depth.png" ;;
  pyramid_blend)
    make second "$folder/$name-in.png"
    make cut "$in-mask.png"
    run $name --input first=$photograph --input "second=$folder/$name-in.png" --input "mask=$in-mask.png" --output "out=$picture" ;;
  vdsr) # half the photograph enlarged again, with weights that sharpen
    make half "$folder/$name-in.png"
    weights=()
    for pair in first=filter_first middle=filters last=filter_last bias=bias bias_last=bias_last; do
      quietly "$cli" run scripts/photographs/weights.loop --output "${pair%=*}=$in-${pair#*=}.npy"
      weights+=(--input "${pair#*=}=$in-${pair#*=}.npy")
    done
    run $name --param H=427 --param W=640 --param CHANNELS=4 --input "low=$folder/$name-in.png" "${weights[@]}" \
      --output "out=$picture" ;;
  *)
    echo "error: $name is no program for pictures" >&2
    exit 2 ;;
  esac
done
pictures=("$folder"/*.png)
echo "${#pictures[@]} pictures in $folder"
