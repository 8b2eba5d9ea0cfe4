package redact

import (
	"encoding/base64"
	"regexp"
	"slices"
	"strings"
)

// minSecret is the length from which a value of a telling name is a secret.
const minSecret = 8

// endsThere says that the secret is no part of a longer word.
func endsThere(m *match) bool { return m.end == len(m.text) || !alnum(m.text[m.end]) }

func hasDigit(m *match) bool { return strings.ContainsAny(m.value(), "0123456789") }

// real says that a value is not a stand-in for one.
func real(m *match) bool { return !placeholder(m.value()) }

// credential is a value that is no word of a sentence about credentials.
func credential(m *match) bool {
	v := m.value()
	return !placeholder(v) && (!word(v) || len(v) >= 24)
}

// userAndPassword is the base64 of user:password.
func userAndPassword(m *match) bool {
	text, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(m.value(), "="))
	return err == nil && slices.Contains(text, ':') && !strings.ContainsFunc(string(text), func(r rune) bool { return r < ' ' || r == '\uFFFD' })
}

// assignedSecret judges the value of a telling name by how it is written.
func assignedSecret(m *match) bool {
	quoted := has("\"'`", m.before())
	if v := m.value(); !quoted && (code(v) || filename(v)) {
		return false
	}
	m.end = m.start + valueEnd(m.value(), quoted)
	v := m.value()
	named := has(`"'\]`, m.text[m.literalEnd]) // the name is quoted, as in JSON
	sign := m.text[m.literalEnd:m.start]
	switch {
	case len(v) < minSecret || placeholder(v) || filename(v):
		return false
	case strings.ContainsRune(sign, '=') || named:
		return true
	case quoted:
		return !(word(v) || strings.Contains(v, " ")) || !strings.EqualFold(m.text[max(0, m.literalEnd-len("token")):m.literalEnd], "token")
	}
	return !word(v) && strings.Trim(v, "0123456789") != "" // after a colon or a bracket: prose, unless it looks made up
}

// fieldSecret is the value of a name that users gave: any value.
func fieldSecret(m *match) bool {
	m.end = m.start + valueEnd(m.value(), has("\"'`", m.before()))
	return m.start < m.end
}

// valueEnd is where a value ends that was taken up to its quote or the next
// blank: without the escape of the quote, or without what closes an expression
// around it and the next name=value of a list.
func valueEnd(v string, quoted bool) int {
	if quoted {
		return len(strings.TrimRight(v, "\\"))
	}
	if next := nextInList.FindStringIndex(v); next != nil {
		v = v[:next[0]]
	}
	return len(strings.TrimRight(v, ",.:)]}>"))
}

var nextInList = regexp.MustCompile(`[,)|][A-Za-z_][\w.-]*[=:]`)

// standIns are words that stand where a secret would.
var standIns = []string{"undefined", "required", "optional", "disabled", "enabled", "redacted", "masked", "filtered", "hidden", "removed", "password", "api_key", "apikey", "api-key",
	"access_token", "accesstoken", "auth_token", "refresh_token", "secret_key", "client_secret", "token_here", "expected", "not-set", "unavailable", "anonymous", "changeme", "placeholder"}

// shapes are values that stand for a secret: ${NAME}, {{ name }}, <name>, %s,
// [MASKED], ****, xxxx.
var shapes = regexp.MustCompile(`^(?:\$\{.*|\$\(.*|\{.*|\(.*|<.*|%[(sdvq{].*|\[.*|\$[A-Z_][A-Z0-9_]*|%[A-Z_]+%|[*.xX#?_-]+|•+)$`)

func placeholder(v string) bool {
	v = strings.TrimRight(v, ",.)]}>\\")
	return shapes.MatchString(v) || slices.Contains(standIns, strings.ToLower(v))
}

// calls are expressions that get a secret from somewhere else.
var calls = regexp.MustCompile(`^(?:[A-Za-z_$][\w.$]*\(.*\)|(?:self|this|os|process|env|config|conf|settings|secrets|args|opts|options|params|props|request|req|ctx|kwargs|user|state)(?:\.[A-Za-z_]\w*|\[[^\]]*\]?)+[,)\]}]*|[A-Za-z_][\w.]*(?:\(|\[)\W*)$`)

func code(v string) bool { return calls.MatchString(v) }

var filenames = regexp.MustCompile(`(?i)^[\w~./\\:@-]*[/\\.][\w-]*\.(?:pem|key|crt|cer|p12|pfx|json|ya?ml|txt|env|toml|ini|conf|py|js|ts|go|rb|java)[,)\]}:]*$|^(?:[A-Za-z]:[\\/]|~?/[a-z][\w.-]*/)[\w./\\ -]*$`)

func filename(v string) bool { return filenames.MatchString(v) }

// word reports text as people write it: letters, perhaps joined, with no more
// capitals inside than a name of two words has.
func word(v string) bool {
	humps := 0
	for i := range len(v) {
		c := v[i]
		if digit(c) || c >= 0x80 || !letter(c) && !has("-_.,!?)(' ", c) {
			return false
		}
		if i > 0 && 'A' <= c && c <= 'Z' && 'a' <= v[i-1] && v[i-1] <= 'z' {
			humps++
		}
	}
	return humps < 3
}
