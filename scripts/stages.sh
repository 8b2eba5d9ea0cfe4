# Sourced by the scripts that run many checks: a stage that fails does not keep
# the next ones from running, and the end says what each took and which failed.

stages=()
failed=0

# stage runs the command after its title.
stage() {
  local title=$1 start=$SECONDS result=ok
  shift
  printf '\n== %s\n' "$title"
  "$@" || { result=FAILED failed=$((failed + 1)); }
  stages+=("$(printf '%-6s %5d s  %s' "$result" $((SECONDS - start)) "$title")")
}

# summary prints the stages and ends the script: with 1 when one failed.
summary() {
  printf '\n== summary\n'
  printf '%s\n' "${stages[@]}"
  [ "$failed" = 0 ] || { printf '%d of %d stages failed\n' "$failed" "${#stages[@]}"; exit 1; }
  printf 'all %d stages passed in %d s\n' "${#stages[@]}" "$SECONDS"
}
