# fish completion for tribunal; the program itself knows the words.
function __tribunal_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l found ($words[1] __complete $words[2..-1] (string unescape -- $current) 2>/dev/null)
    if test (count $found) -gt 0
        printf '%s\n' $found
        return
    end
    set -l before (string match -r '^[^=]*=' -- $current)
    set -l path (string replace -r '^[^=]*=' '' -- $current)
    for file in (__fish_complete_path $path)
        printf '%s%s\n' "$before" $file
    end
end
complete -c tribunal -f -a '(__tribunal_complete)'
