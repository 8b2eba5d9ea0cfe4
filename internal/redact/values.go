package redact

import (
	"encoding/base64"
	"slices"
	"strings"

	"tribunal/internal/regex"
)

// endsThere says that the secret is no part of a longer word.
func endsThere(m *match) bool { return m.end == len(m.text) || !alnum(m.text[m.end]) }

func hasDigit(m *match) bool { return strings.ContainsAny(m.value(), "0123456789") }

func mixedValue(m *match) bool { return lettersAndDigits(m.value()) && !placeholder(m.value()) }

// whole is a random word that ends where it has to.
func whole(m *match) bool { return endsThere(m) && hasDigit(m) }

// wholeAndMixed is whole, and no name with a number behind its parts.
func wholeAndMixed(m *match) bool { return whole(m) && !countedWord(m.value()) }

// squareToken is whole and, where it is short, no stretch of a program or picture in base64.
func squareToken(m *match) bool {
	v := m.value()
	return whole(m) && (len(v) == 64 || strings.ToLower(v[4:]) != v[4:] && !strings.Contains(v[1:], "AAAA") &&
		!has("+/=", m.text[max(m.start, 1)-1]) && (m.end == len(m.text) || !has("+/=", m.text[m.end])))
}

// notHex is whole, and no part of a hash.
func notHex(m *match) bool {
	return whole(m) && strings.Trim(m.value(), "0123456789abcdefABCDEF") != ""
}

// credential is a value that is no word of a sentence about credentials.
func credential(m *match) bool {
	v := m.value()
	return !placeholder(v) && (!word(v) || len(v) >= 24)
}

// userAndPassword is the base64 of user:password.
func userAndPassword(m *match) bool { return encodesLogin(m.value()) }

func encodesLogin(v string) bool {
	text, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(v, "="))
	return err == nil && slices.Contains(text, ':') && !strings.ContainsFunc(string(text), func(r rune) bool { return r < ' ' || r == '\uFFFD' })
}

// standIns are words that stand where a secret would.
var standIns = []string{"undefined", "required", "optional", "disabled", "enabled", "redacted", "masked", "filtered", "hidden", "removed",
	"password", "api_key", "apikey", "api-key", "access_token", "accesstoken", "auth_token", "refresh_token", "secret_key", "client_secret",
	"token_here", "expected", "not-set", "unavailable", "anonymous", "changeme", "placeholder"}

// placeholder reports what stands for a secret: ${NAME}, {{ name }}, <name>, %s,
// [MASKED], ****, xxxx, your-key.
func placeholder(v string) bool {
	v = strings.TrimRight(v, ",.)]}>\\")
	if v == "" {
		return false
	}
	rest := v[1:]
	switch v[0] {
	case '{', '(', '<', '[':
		return true
	case '$':
		return rest != "" && (rest[0] == '{' || rest[0] == '(' || !digit(rest[0]) && only(rest, upperByte))
	case '%':
		return rest != "" && (has("(sdvq{", rest[0]) || len(rest) > 1 && rest[len(rest)-1] == '%' && only(rest[:len(rest)-1], upperByte))
	case 'y', 'Y':
		if len(v) > 4 && strings.EqualFold(v[:4], "your") && has("_- ", v[4]) {
			return true
		}
	}
	return only(v, func(c byte) bool { return has("*.xX#?_-", c) }) || strings.Trim(v, "•") == "" ||
		slices.ContainsFunc(standIns, func(w string) bool { return strings.EqualFold(w, v) })
}

func upperByte(c byte) bool { return 'A' <= c && c <= 'Z' || digit(c) || c == '_' }

func only(v string, is func(byte) bool) bool {
	for i := range len(v) {
		if !is(v[i]) {
			return false
		}
	}
	return true
}

// calls are expressions that get a secret from somewhere else.
var calls = regex.Of(`^(?:[A-Za-z_$][\w.$]*\(.*\)|(?:self|this|os|process|env|config|conf|settings|secrets|args|opts|options|params|props|request|req|ctx|kwargs|user|state)(?:\.[A-Za-z_]\w*|\[[^\]]*\]?)+[,)\]}]*|[A-Za-z_][\w.]*(?:\(|\[)\W*|[A-Z][a-z]+\[[A-Za-z_.]+\]\W*)$`)

func code(v string) bool { return strings.ContainsAny(v, ".([") && calls().MatchString(v) }

var filenames = regex.Of(`(?i)^[\w~./\\:@-]*[/\\.][\w-]*\.(?:pem|key|crt|cer|p12|pfx|json|ya?ml|txt|env|toml|ini|conf|py|js|ts|go|rb|java)[,)\]}:]*$|^(?:[A-Za-z]:[\\/]|~?/[a-z][\w.-]*/|\.{1,2}/)[\w./\\ -]*$`)

func filename(v string) bool { return strings.ContainsAny(v, `/\.`) && filenames().MatchString(v) }

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

// countedWord is a word or a path with numbers behind its parts, as names of
// tests are: test_login_2, a/b3.py::c[1].
func countedWord(v string) bool {
	for i := 0; i+1 < len(v); i++ {
		if digit(v[i]) && letter(v[i+1]) {
			return false
		}
	}
	return true
}

func number(v string) bool { return strings.Trim(v, "0123456789.,_") == "" }

func lettersAndDigits(v string) bool {
	letters, digits := false, false
	for i := range len(v) {
		letters, digits = letters || letter(v[i]), digits || digit(v[i])
	}
	return letters && digits
}
