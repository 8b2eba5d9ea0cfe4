#compdef tribunal
# zsh completion for tribunal; the program itself knows the words.
_tribunal() {
	local line word doc
	local -a more open
	while IFS=$'\t' read -r word doc; do
		line=${word//:/\\:}${doc:+:$doc}
		if [[ $word == *= ]]; then open+=("$line"); else more+=("$line"); fi
	done < <("${(Q)words[1]}" __complete "${(@Q)words[2,CURRENT]}" 2>/dev/null)
	if (($#more + $#open == 0)); then
		compset -P '*='
		_files
		return
	fi
	(($#more == 0)) || _describe -V tribunal more
	(($#open == 0)) || _describe -V tribunal open -S ''
}
if [[ $funcstack[1] == _tribunal ]]; then # autoloaded from a file of that name
	_tribunal "$@"
else
	compdef _tribunal tribunal
fi
