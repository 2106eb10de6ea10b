#!/bin/bash
# Every bundled program under every schedule that is shipped for it, at its full size, compiled and compared with the
# reference interpreter: scripts/check_programs.sh [NAME...]. Without names: all of them, which takes some hours, most of it in
# the reference. Prints a line each and a summary; ends with 1 where a result is wrong or could not be had. LOOPSCOPE_CLI names
# the program; without it that of build/bin is taken. TIMEOUT: seconds for each check.
set -u
cd "$(dirname "$0")/.."
program=${LOOPSCOPE_CLI:-build/bin/loopscope-cli}
timeout=${TIMEOUT:-14400}
names=("$@")
if [ ${#names[@]} -eq 0 ]; then
  for file in resources/pipelines/*.loop; do
    names+=("$(basename "$file" .loop)")
  done
fi
right=0 bad=0
printf '%-30s %-12s %8s %8s  %s\n' program schedule compile run result
for name in "${names[@]}"; do
  for schedule in resources/pipelines/"$name".*sched; do
    target=${schedule#resources/pipelines/"$name".}
    [ "${target%.sched}" = cpu ] || continue # others are for targets that may not be here
    answer=$("$program" check "resources/pipelines/$name.loop" -s "$schedule" --timeout "$timeout" --json 2>&1)
    status=$?
    number() { sed -n 's/.*"'"$1"'": *\([^,}]*\).*/\1/p' <<<"$answer" | head -1; }
    if [ $status -eq 0 ]; then
      right=$((right + 1))
      result="right: $(sed -n 's/.*"method": *"\([^"]*\)".*/\1/p' <<<"$answer" | head -1)"
    else
      bad=$((bad + 1))
      result="FAILED ($status): $(tail -1 <<<"$answer" | cut -c1-120)"
    fi
    printf '%-30s %-12s %8.2f %8.3f  %s\n' "$name" "${target%.sched}" "$(number seconds_compile)" "$(number seconds_run)" "$result"
  done
done
echo "$right right, $bad failed"
[ "$bad" -eq 0 ]
