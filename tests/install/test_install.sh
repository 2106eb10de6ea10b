#!/bin/bash
# What `cmake --install` puts in place works from there: programs, their resources, and their place on a desktop.
# usage: test_install.sh BUILD_FOLDER
set -eu
build=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
fail() {
    echo "error: $*" >&2
    exit 1
}

cmake --install "$build" --prefix "$folder/first" >"$folder/log" || fail "$(cat "$folder/log")"
mv "$folder/first" "$folder/usr" # nothing may remember where it was installed to
cd "$folder"
share=usr/share/loopscope
for file in usr/bin/loopscope usr/bin/loopscope-cli usr/bin/loopscope-worker usr/bin/loopscope-opencl-worker usr/bin/loopscope-agent \
    $share/pipelines/harris.loop \
    $share/pipelines/harris.cpu.sched $share/devices/i7-6700.json $share/devices/i7-5930K.json $share/devices/cortex-a15.json \
    $share/workloads/alcop.json $share/images/rocket.png $share/icons/loopscope.svg $share/help/tutorial.md $share/help/window.md \
    $share/help/pipelines.md $share/help/schedules.md usr/share/applications/loopscope.desktop \
    usr/share/icons/hicolor/scalable/apps/loopscope.svg usr/share/mime/packages/loopscope.xml; do
    [ -s "$file" ] || fail "$file is not installed"
done

# Every file type has a pattern, and every type that the desktop file claims is described.
mime=usr/share/mime/packages/loopscope.xml
for ending in loop sched loopscope; do
    grep -q "glob pattern=\"\*\.$ending\"" $mime || fail "no file type for .$ending"
done
types=$(sed -n 's/^MimeType=//p' usr/share/applications/loopscope.desktop | tr ';' ' ')
[ "$(wc -w <<<"$types")" = 3 ] || fail "the desktop file claims: $types"
for type in $types; do
    grep -q "type=\"$type\"" $mime || fail "$type is not described"
done
grep -q '^Exec=loopscope %f$' usr/share/applications/loopscope.desktop || fail "the desktop file starts something else"
! command -v desktop-file-validate >/dev/null || desktop-file-validate usr/share/applications/loopscope.desktop
! command -v update-mime-database >/dev/null || update-mime-database usr/share/mime 2>"$folder/log" || fail "$(cat "$folder/log")"

unset LOOPSCOPE_RESOURCES LOOPSCOPE_BIN
export XDG_CACHE_HOME=$folder/cache XDG_DATA_HOME=$folder/data XDG_CONFIG_HOME=$folder/config QT_QPA_PLATFORM=offscreen
cli=usr/bin/loopscope-cli
$cli devices | grep -q i7-6700 || fail "the described devices are not found"
$cli estimate $share/pipelines/blur.loop --device i7-6700 | grep -q . || fail "no estimate"
$cli check $share/pipelines/blur.loop -s $share/pipelines/blur.cpu.sched --param H=40 --param W=64 >"$folder/log" 2>&1 ||
    fail "check: $(cat "$folder/log")"

$cli bundle "$folder/bundle" --job small=$share/pipelines/blur.loop,H=40,W=64 --with-agent >"$folder/log" 2>&1 ||
    fail "bundle: $(cat "$folder/log")"
[ -x "$folder/bundle/loopscope-agent" ] && [ -s "$folder/bundle/peer.py" ] || fail "the bundle lacks its programs"

picture() { # NAME ARGUMENT...: renders, and looks at the size that the file says it has
    local file=$1.png width=$2 height=$3
    shift 3
    usr/bin/loopscope "$@" --screenshot "$file" 2>"$folder/log" || fail "$file: $(cat "$folder/log")"
    [ "$(od -An -tx1 -N8 "$file" | tr -d ' \n')" = 89504e470d0a1a0a ] || fail "$file is no PNG"
    local said
    said=$(od -An -tu1 -j16 -N8 "$file" | awk '{print $3 * 256 + $4, $7 * 256 + $8}')
    [ "$said" = "$width $height" ] || fail "$file is $said, not $width $height"
}
picture start 1280 800 --size 1280x800
picture window 2560 1600 $share/pipelines/harris.loop --device i7-6700 --size 1280x800 --scale 2 --theme dark
picture help 960 720 --panel help
cafe=$folder/$(printf 'caf\351') # no UTF-8
cp $share/pipelines/blur.loop "$cafe.loop"
cp $share/pipelines/blur.cpu.sched "$cafe.sched"
picture bytes 960 720 "$cafe.loop" "--schedule=$cafe.sched" --size 960x720
$cli tree "$cafe.loop" -s "$cafe.sched" >"$folder/log" || fail "a name that is no UTF-8: $(cat "$folder/log")"
! usr/bin/loopscope $share/pipelines/blur.loop --panel nonsense --screenshot x.png 2>"$folder/log" ||
    fail "an unknown panel is no error"
grep -q "the panels are" "$folder/log" || fail "the message names no panels: $(cat "$folder/log")"
! usr/bin/loopscope --device nowhere --screenshot x.png 2>"$folder/log" || fail "a device that is not there is no error"
! usr/bin/loopscope --param H=3 --screenshot x.png 2>"$folder/log" || fail "a parameter of no file is no error"
! usr/bin/loopscope --scale 77 --screenshot x.png 2>"$folder/log" || fail "an absurd scale is no error"
usr/bin/loopscope $share/pipelines/blur.loop -s $share/pipelines/blur.cpu.sched --report "$folder/blur.html" 2>"$folder/log" ||
    fail "a report: $(cat "$folder/log")"
for part in "<!DOCTYPE html>" "<h1>blur</h1>" "<svg " "Present schedule"; do
    grep -q "$part" "$folder/blur.html" || fail "the report lacks $part"
done
! usr/bin/loopscope --report "$folder/none.html" 2>"$folder/log" || fail "a report of nothing is no error"
[ ! -e "$folder/none.html" ] || fail "a report of nothing is written"
echo "installed, moved, and running"
