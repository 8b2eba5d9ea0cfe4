package command

import (
	"strconv"
	"strings"

	"tribunal/internal/words"
)

// mostQuoted is how many bytes of an argument an error quotes: enough to know it by.
const mostQuoted = 200

// longestError is how long a line of an error may be that quotes what is no
// argument, such as a variable of the environment.
const longestError = 2000

// brief is the text of an error in which long arguments are cut, whether they
// stand there as they are or in quotes.
func brief(text string, args []string) string {
	for _, arg := range args {
		for _, part := range partsOf(arg) {
			text = cutOut(text, part)
			quoted := strconv.Quote(part)
			text = cutOut(text, quoted[1:len(quoted)-1])
		}
	}
	lines := strings.SplitAfter(text, "\n")
	for i, line := range lines {
		if len(line) > longestError {
			end := line[len(strings.TrimRight(line, "\n")):]
			lines[i] = words.Head(line, longestError) + end
		}
	}
	return strings.Join(lines, "")
}

// partsOf is a long argument, also without its dashes, what stands behind its first two signs of equality, as in
// --output=json=PATH, and its words and the parts of its paths, which errors quote
// alone.
func partsOf(arg string) []string {
	if len(arg) <= mostQuoted {
		return nil
	}
	_, value, _ := strings.Cut(arg, "=")
	_, path, _ := strings.Cut(value, "=")
	words := strings.FieldsFunc(arg, func(c rune) bool { return strings.ContainsRune(`=/\:, "`, c) })
	return append([]string{arg, strings.TrimLeft(arg, "-"), value, path}, words...)
}

func cutOut(text, part string) string {
	if len(part) <= mostQuoted {
		return text
	}
	return strings.ReplaceAll(text, part, words.Head(part, mostQuoted))
}
