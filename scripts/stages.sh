# Sourced by the scripts that run many checks: a stage that fails does not keep
# the next ones from running, and the end says what each took and which failed.

results=$(mktemp -d)
lanes=() # process groups of what runs beside
made=()  # files that end with this script
trap 'for lane in "${lanes[@]}"; do kill -- "-$lane" 2>/dev/null || true; done; rm -rf "$results" "${made[@]}"' EXIT

# In a workspace the modules share their compiled packages. Without one, each compiles the
# program again. go.work is no part of the repository, so users build without it.
if [ ! -e go.work ]; then
  mapfile -t modules < <(git ls-files go.mod '*/go.mod' | xargs -n1 dirname)
  made=(go.work go.work.sum)
  go work init "${modules[@]}"
fi

# stage runs the command after its title.
stage() {
  local title=$1 start=$SECONDS result=ok used
  shift
  printf '\n== %s\n' "$title"
  used=$(mktemp "$results/used.XXXXXX")
  (status=0; "$@" || status=$?; times >"$used"; exit $status) || result=FAILED
  # The second line of times has what the programs of the stage used: 1m2.3s 0m4.5s.
  printf '%-6s %5d s %5.0f s  %s\n' "$result" $((SECONDS - start)) \
    "$(awk -F '[ms ]+' 'NR == 2 { print 60 * $1 + $2 + 60 * $3 + $4 }' "$used")" "$title" >>"$results/stages"
}

# beside runs a command, which may be several stages, while the stages after it
# run, because many stages wait for a network or a browser. What it writes comes
# in one piece, when it ends.
beside() {
  local output
  output=$(mktemp "$results/output.XXXXXX")
  set -m # a process group, which ends with this script
  { "$@" >"$output" 2>&1 </dev/null; cat "$output"; } &
  lanes+=("$!")
  set +m
}

# summary prints the stages and ends the script: with 1 when one failed.
summary() {
  local lane all failed
  for lane in "${lanes[@]}"; do
    wait "$lane" || printf '%-6s %17s  stages beside: ended before their end\n' FAILED '' >>"$results/stages"
  done
  lanes=()
  printf '\n== summary: time, time of processors, stage\n'
  cat "$results/stages"
  all=$(wc -l <"$results/stages")
  failed=$(grep -c '^FAILED' "$results/stages" || true)
  [ "$failed" = 0 ] || { printf '%d of %d stages failed\n' "$failed" "$all"; exit 1; }
  printf 'all %d stages passed in %d s\n' "$all" "$SECONDS"
}
