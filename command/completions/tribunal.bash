# bash completion for tribunal; the program itself knows the words.
_tribunal() {
	# Words as the shell has them: bash also splits them at = and :, which are put
	# together again where no blank stands between.
	local line=${COMP_LINE:0:COMP_POINT} words=() piece i
	for ((i = 0; i <= COMP_CWORD; i++)); do
		piece=${COMP_WORDS[i]}
		((i < COMP_CWORD)) || piece=${piece:0:${#line}} # what stands behind the cursor is not asked for
		if [[ $i -gt 0 && $line == "$piece"* && -n $piece ]]; then
			words[${#words[@]} - 1]+=$piece
		else
			words+=("$piece")
			line=${line#"${line%%[![:space:]]*}"}
		fi
		line=${line#"$piece"}
	done
	local current=${words[${#words[@]} - 1]} last=${COMP_WORDS[COMP_CWORD]} quote=
	[[ $last != [=:] ]] || last=
	local before=${current%"$last"}
	case $current in
	[\"\']*) quote=${current:0:1} ;;
	esac
	for i in "${!words[@]}"; do # as the program would see them
		piece=${words[i]#[\"\']}
		piece=${piece%[\"\']}
		words[i]=${piece//\\/}
	done

	local candidate
	COMPREPLY=()
	while IFS=$'\t' read -r candidate _; do
		candidate=${candidate#"$before"}
		[[ $candidate != *= ]] || compopt -o nospace
		[[ -n $quote ]] || printf -v candidate %q "$candidate"
		COMPREPLY+=("${candidate/%\\=/=}")
	done < <("${words[0]}" __complete "${words[@]:1}" 2>/dev/null)
}
complete -o bashdefault -o default -F _tribunal tribunal
