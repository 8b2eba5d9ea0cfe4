package standing

import "testing"

func TestUnescaped(t *testing.T) {
	for _, c := range []struct{ text, want, reason string }{
		{`{"city":"Z\u00fcrich","\u6771\u4eac":"\uD83D\ude4f"}`, `{"city":"Zürich","東京":"🙏"}`, "letters, names of members, a pair for one letter"},
		{`["a\\u00fc","\"\u00fc\n\t"]`, `["a\\u00fc","\"ü\n\t"]`, "an escaped backslash is no escape of what follows"},
		{`["\u0022","\u005c","\u0041"]`, `["\u0022","\u005c","\u0041"]`, "ASCII stays: quotes and backslashes must"},
		{`["\u0000\u001b[31m\u202e\u200b"]`, `["\u0000\u001b[31m\u202e\u200b"]`, "what cannot be seen stays"},
		{`["\ud83d","\ud83d\u0041","\ude4f\ud83d"]`, `["\ud83d","\ud83d\u0041","\ude4f\ud83d"]`, "halves of pairs stay"},
		{`C:\users\u00fc`, `C:\users\u00fc`, "no JSON"},
		{`{"a":"\u00f"}`, `{"a":"\u00f"}`, "no JSON"},
		{`"\ufffd"`, "\"\ufffd\"", "a replacement character is a letter like others"},
	} {
		if got := Unescaped(c.text); got != c.want {
			t.Errorf("%s: Unescaped(%s) = %s, want %s", c.reason, c.text, got, c.want)
		}
	}
}
