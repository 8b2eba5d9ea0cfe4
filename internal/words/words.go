// Package words has numbers with their nouns and units, as the whole program
// says them to people.
//
// It exists so that a reason, a table, a page and an error say the same number
// the same way. It leaves out what a single format asks for: colours, escapes,
// digits for machines.
package words

import (
	"strconv"
	"strings"

	"tribunal/internal/redact"
)

// AtWord is the beginning of a text of at most so many bytes, up to the end of a word where
// there is one in its last third.
func AtWord(s string, most int) string {
	s = strings.ToValidUTF8(s[:min(len(s), most)], "")
	if at := strings.LastIndexAny(s, " \n"); at > len(s)*2/3 {
		return strings.TrimRight(s[:at], " \n")
	}
	return s
}

// Head keeps the head of a text, at most so many bytes of it and no part of a secret.
// The copy does not keep the text alive.
func Head[T ~string | ~[]byte](text T, most int) string {
	s := strings.Clone(string(text[:min(len(text), most+redact.Beyond)]))
	if len(s) <= most {
		return s
	}
	end, _ := redact.Split(s, most)
	return strings.ToValidUTF8(s[:end], "") + "…"
}

// Lead is Head for a text that people read: it ends with a word, as AtWord does.
func Lead[T ~string | ~[]byte](text T, most int) string {
	head := Head(text, most)
	if len(text) <= most {
		return head
	}
	return AtWord(strings.TrimSuffix(head, "…"), most) + "…"
}

// Quote is the head of a text in quotes, as a message shows it.
func Quote[T ~string | ~[]byte](text T, most int) string {
	return strconv.Quote(Head(text, most))
}

// Shell is a command as a shell takes it.
func Shell(argv ...string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:@%+={}-"
	quoted := make([]string, len(argv))
	for i, arg := range argv {
		if quoted[i] = arg; arg == "" || strings.Trim(arg, plain) != "" {
			quoted[i] = "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
		}
	}
	return strings.Join(quoted, " ")
}

// Commit shortens what looks like a commit's hash. Runs merged from
// several commits list them with commas between.
func Commit(s string) string {
	const short = 8
	commits := strings.Split(s, ", ")
	for i, c := range commits {
		if len(c) > short && strings.Trim(c, "0123456789abcdef") == "" {
			commits[i] = c[:short]
		}
	}
	return strings.Join(commits, ", ")
}
