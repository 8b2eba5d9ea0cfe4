package redact

import (
	"encoding/base64"
	"fmt"
	"net/url"
	"strings"
	"testing"
)

// run makes n characters of an alphabet, the same ones every time: the samples
// have the shape of a credential and none of them ever was one. They are put
// together here so that no file holds what a scanner of repositories would
// report.
func run(n int, alphabet string) string {
	var b strings.Builder
	for i := range n {
		b.WriteByte(alphabet[(i*7+i/3+3)%len(alphabet)])
	}
	return b.String()
}

const (
	mixed  = "aB3dE6gH9jK2mN5pQ8sT1vW4xYz0"
	lowhex = "0f1e2d3c4b5a69788796"
	upper  = "A2B3C4D5E6F7GH"
)

// samples are secrets by kind, as they stand in a text. secret is the part that
// must not survive.
var samples = []sample{
	{"aws-access-key", "", "AKIA" + run(16, upper)},
	{"aws-access-key", "", "ASIA" + run(16, upper)},
	{"aws-bedrock-key", "", "ABSK" + run(110, mixed) + "="},
	{"aws-secret-key", "aws_secret_access_key = %s", run(39, mixed) + "/"},
	{"google-api-key", "", "AIza" + run(35, mixed)},
	{"google-oauth", "", "ya29." + run(60, mixed)},
	{"google-oauth", "", "GOCSPX-" + run(28, mixed)},
	{"azure-storage-key", "DefaultEndpointsProtocol=https;AccountName=x;AccountKey=%s;EndpointSuffix=core", run(86, mixed) + "=="},
	{"azure-access-key", "Endpoint=sb://x/;SharedAccessKeyName=Root;SharedAccessKey=%s", run(43, mixed) + "="},
	{"azure-sas", "https://x.blob.core/y?sv=2024&sig=%s", run(43, mixed) + "%3D"},
	{"azure-client-secret", "", "aB3" + "8Q~" + run(34, mixed)},
	{"azure-devops-token", "", run(76, mixed) + "AZDO" + run(4, mixed)},
	{"digitalocean-token", "", "dop_v1_" + run(64, lowhex)},
	{"databricks-token", "", "dapi" + run(32, lowhex)},
	{"anthropic-key", "", "sk-ant-" + "api03-" + run(93, mixed) + "AA"},
	{"openrouter-key", "", "sk-or-v1-" + run(64, lowhex)},
	{"langfuse-key", "", "sk-lf-" + run(36, lowhex)},
	{"openai-key", "", "sk-proj-" + run(120, mixed)},
	{"openai-key", "", "sk-" + run(20, mixed) + "T3BlbkFJ" + run(20, mixed)},
	{"huggingface-token", "", "hf_" + run(34, mixed)},
	{"groq-key", "", "gsk_" + run(52, mixed)},
	{"xai-key", "", "xai-" + run(80, mixed)},
	{"perplexity-key", "", "pplx-" + run(48, mixed)},
	{"replicate-token", "", "r8_" + run(37, mixed)},
	{"nvidia-key", "", "nvapi-" + run(64, mixed)},
	{"elevenlabs-key", "", "sk_" + run(48, lowhex)},
	{"langsmith-key", "", "lsv2_pt_" + run(32, lowhex) + "_" + run(10, lowhex)},
	{"tavily-key", "", "tvly-" + run(32, mixed)},
	{"github-token", "", "ghp_" + run(36, mixed)},
	{"github-token", "", "ghs_" + run(36, mixed)},
	{"github-token", "", "github_pat_" + run(22, mixed) + "_" + run(59, mixed)},
	{"gitlab-token", "", "glpat-" + run(20, mixed)},
	{"gitlab-token", "", "glpat-" + run(27, mixed) + ".01." + run(9, lowhex)},
	{"gitlab-token", "", "GR1348941" + run(20, mixed)},
	{"npm-token", "", "npm_" + run(36, mixed)},
	{"pypi-token", "", "pypi-AgEIcHlwaS5vcmc" + run(60, mixed)},
	{"rubygems-key", "", "rubygems_" + run(48, lowhex)},
	{"docker-token", "", "dckr_pat_" + run(27, mixed)},
	{"atlassian-token", "", "ATATT3" + run(186, mixed)},
	{"slack-token", "", "xoxb-123456789012-123456789012-" + run(24, mixed)},
	{"slack-token", "", "xapp-1-A0123-123456-" + run(64, lowhex)},
	{"slack-webhook", "https://hooks.slack.com/services/%s", "T00000000/B00000000/" + run(24, mixed)},
	{"discord-webhook", "https://discord.com/api/webhooks/%s", "123456789012345678/" + run(68, mixed)},
	{"stripe-key", "", "sk_live_" + run(24, mixed)},
	{"stripe-key", "", "whsec_" + run(32, mixed)},
	{"sendgrid-key", "", "SG." + run(22, mixed) + "." + run(43, mixed)},
	{"mailchimp-key", "", run(32, lowhex) + "-us12"},
	{"mailgun-key", "", "key-" + run(32, lowhex)},
	{"shopify-token", "", "shpat_" + run(32, lowhex)},
	{"grafana-token", "", "glsa_" + run(32, mixed) + "_" + run(8, lowhex)},
	{"vault-token", "", "hvs." + run(90, mixed)},
	{"terraform-token", "", run(14, mixed) + ".atlasv1." + run(67, mixed)},
	{"linear-key", "", "lin_api_" + run(40, mixed)},
	{"notion-token", "", "ntn_" + run(46, mixed)},
	{"postman-key", "", "PMAK-" + run(24, lowhex) + "-" + run(34, lowhex)},
	{"newrelic-key", "", "NRAK-" + run(27, upper)},
	{"sentry-token", "", "sntryu_" + run(64, lowhex)},
	{"supabase-key", "", "sbp_" + run(40, lowhex)},
	{"figma-token", "", "figd_" + run(40, mixed)},
	{"age-key", "", "AGE-SECRET-KEY-1" + run(58, upper)},
	{"private-key", "", "-----BEGIN RSA PRIVATE KEY-----\n" + run(64, mixed) + "\n" + run(30, mixed) + "==\n-----END RSA PRIVATE KEY-----"},
	{"private-key", "", "-----BEGIN PGP PRIVATE KEY BLOCK-----\nVersion: 1\n\n" + run(64, mixed) + "\n=ab12\n-----END PGP PRIVATE KEY BLOCK-----"},
	{"private-key", `{"private_key":"%s"}`, `-----BEGIN PRIVATE KEY-----\n` + run(64, mixed) + `\n` + run(20, mixed) + `\n-----END PRIVATE KEY-----\n`},
	{"private-key", "%s", "-----BEGIN EC PRIVATE KEY-----\n" + run(64, mixed) + "\n" + run(17, mixed)},
	{"private-key", "[... 99 bytes cut ...]\n%s", run(40, mixed) + "\n" + run(64, mixed) + "\n-----END EC PRIVATE KEY-----"},
	{"jwt", "", "eyJ" + run(33, mixed) + ".eyJ" + run(60, mixed) + "." + run(43, mixed)},
	{"authorization", "Authorization: Token %s", run(20, mixed)},
	{"authorization", "Authorization: AWS4-HMAC-SHA256 %s", run(20, mixed)},
	{"authorization", `{"authorization": "%s"}`, run(20, mixed)},
	{"bearer-token", "with bearer %s", run(20, mixed)},
	{"basic-auth", "curl -H 'Basic %s'", base64.StdEncoding.EncodeToString([]byte("bob:hunter2"))},
	{"url-password", "postgres://bob:%s@db.internal:5432/x", "hunter2!x"},
	{"url-password", "redis://:%s@cache", "s3cr3t"},
	{"password", "password=%s", "correcthorse"},
	{"password", "DB_PASSWORD=%s", "hunter2hunter2"},
	{"password", "Server=x;Pwd=%s;Database=y", "hunter2hunter2"},
	{"password", "password: %s", "hunter2hunter2"},
	{"password", `{"password": "%s"}`, "correct horse battery staple"},
	{"password", `{\"password\": \"%s\", \"user\": \"bob\"}`, "hunter2hunter2"},
	{"password", "{'user': 'bob', 'password': '%s'}", `hun\'ter2hunter2`},
	{"password", "<password>%s</password>", "hunter2hunter2"},
	{"password", "login(user='bob', password=%s)", "hunter2hunter2"},
	{"secret", "client_secret=%s&grant_type=x", "supersecretvalue"},
	{"secret", "AUTH_SECRET_KEY := \"%s\"", "abcdefgh12"},
	{"token", "//registry.npmjs.org/:_authToken=%s", run(20, mixed)},
	{"token", "token=%s", "12345678"},
	{"token", "https://x/y?access_token=%s&z=1", run(20, mixed)},
	{"api-key", "X-Api-Key: %s", run(20, mixed)},
	{"api-key", "api_key=%s", "abcdefgh"},
}

func (s sample) inText() string {
	if s.text == "" {
		return "the key " + s.secret + " was used"
	}
	return strings.ReplaceAll(s.text, "%s", s.secret)
}

type sample struct{ kind, text, secret string }

// encodings are the forms a secret is found in.
var encodings = []struct {
	name   string
	encode func(string) string
}{
	{"as it is", func(s string) string { return s }},
	{"percent-encoded as a path", url.PathEscape},
	{"percent-encoded as a query", url.QueryEscape},
	{"every byte percent-encoded", everyByte},
	{"percent-encoded twice", func(s string) string { return url.QueryEscape(url.QueryEscape(s)) }},
	{"base64", func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }},
	{"base64 without padding", func(s string) string { return base64.RawStdEncoding.EncodeToString([]byte(s)) }},
	{"base64 for URLs", func(s string) string { return base64.URLEncoding.EncodeToString([]byte(s)) }},
	{"base64 for URLs without padding", func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) }},
	{"base64 of a longer text", func(s string) string { return base64.StdEncoding.EncodeToString([]byte("hello, " + s + " and more")) }},
	{"base64 of a longer text, one byte on", func(s string) string { return base64.StdEncoding.EncodeToString([]byte("hello, x" + s + "")) }},
	{"base64 of text among bytes", func(s string) string {
		return base64.StdEncoding.EncodeToString([]byte("\x00\xff\x01" + s + "\x00\xfe"))
	}},
	{"base64 in lines", func(s string) string { return wrapped("hello hello hello hello hello hello " + s) }},
	{"base64 behind a path", func(s string) string { return "data/x" + base64.StdEncoding.EncodeToString([]byte(s)) }},
	{"base64 of base64", func(s string) string {
		return base64.StdEncoding.EncodeToString([]byte(base64.StdEncoding.EncodeToString([]byte(s))))
	}},
	{"percent-encoded base64", func(s string) string { return url.QueryEscape(base64.StdEncoding.EncodeToString([]byte(s))) }},
	{"inside quotes", func(s string) string { return fmt.Sprintf("%q", "\n"+s) }},
	{"a link inside", func(s string) string {
		return s[:len(s)/2] + "\x1b]8;;http://x\x1b\\" + s[len(s)/2:] + "\u009b0m"
	}},
	{"invisible characters inside", inside("\u200b\u2060")},
	{"a soft hyphen inside", inside("\u00ad")},
	{"a joiner inside", inside("\u034f")},
	{"a filler inside", inside("\u115f")},
	{"another filler inside", inside("\u3164\uffa0")},
	{"a selector inside", inside("\ufe0f")},
	{"a tag inside", inside("\U000e0041")},
	{"a control character inside", inside("\x00")},
	{"a backspace inside", inside("\b\x7f")},
	{"bytes that are no text inside", inside("\xff\xc0")},
	{"what stands for bytes that are no text inside", inside("\ufffd")},
	{"invisible characters everywhere", func(s string) string { return strings.Join(strings.Split(s, ""), "\u200d") }},
	{"percent-encoded with an invisible character inside", func(s string) string { return url.PathEscape(inside("\u200b")(s)) }},
	{"escapes of JSON", escaped(`\u%04x`)},
	{"character references", escaped("&#%d;")},
	{"hexadecimal character references", escaped("&#x%X;")},
	{"an escaped invisible character inside", inside(`\u200b`)},
	{"coloured inside", func(s string) string { return s[:len(s)/2] + "\x1b[31m" + s[len(s)/2:] + "\x1b[0m" }},
}

// inside puts what nobody sees into the middle.
func inside(unseen string) func(string) string {
	return func(s string) string { return s[:len(s)/2] + unseen + s[len(s)/2:] }
}

// escaped writes every character but line ends by its number.
func escaped(form string) func(string) string {
	return func(s string) string {
		var b strings.Builder
		for _, c := range s {
			if c == '\n' {
				b.WriteRune(c)
				continue
			}
			fmt.Fprintf(&b, form, c)
		}
		return b.String()
	}
}

func everyByte(s string) string {
	var b strings.Builder
	for i := range len(s) {
		fmt.Fprintf(&b, "%%%02X", s[i])
	}
	return b.String()
}

func wrapped(s string) string {
	text, out := base64.StdEncoding.EncodeToString([]byte(s)), ""
	for len(text) > 76 {
		out, text = out+text[:76]+"\n", text[76:]
	}
	return out + text
}

func redactor(t testing.TB, rules Rules) *Redactor {
	t.Helper()
	r, err := New(rules)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// survives reports whether any run of 12 bytes of the secret is in the text.
func survives(secret, text string) bool {
	n := min(len(secret), 12)
	for i := 0; i+n <= len(secret); i++ {
		if strings.Contains(text, secret[i:i+n]) {
			return true
		}
	}
	return false
}

func TestNoSampleSurvives(t *testing.T) {
	r := redactor(t, Rules{})
	for _, s := range samples {
		for _, e := range encodings {
			secret, text := e.encode(s.secret), e.encode(s.inText())
			got := r.Text(text)
			if survives(s.secret, got) || strings.Contains(got, secret) {
				t.Errorf("%s, %s: %q became %q", s.kind, e.name, text, got)
			}
			if again := r.Text(got); again != got {
				t.Errorf("%s, %s: %q became %q", s.kind, e.name, got, again)
			}
		}
		if got := r.Text(s.inText()); !strings.Contains(got, "[redacted:"+s.kind+"]") {
			t.Errorf("%s: %q became %q", s.kind, s.inText(), got)
		}
	}
}

// TestEveryDetectorFindsSomething: a row nobody tried is a row that may find
// nothing.
func TestEveryDetectorFindsSomething(t *testing.T) {
	r := redactor(t, Rules{})
	texts := []string{}
	for _, s := range samples {
		texts = append(texts, s.inText())
	}
	for _, s := range corpus(t, "testdata/secrets.txt", true) {
		texts = append(texts, s.text)
	}
	found := map[int]bool{}
	for _, text := range texts {
		r.found = r.found[:0]
		r.find(text, false, 0)
		for _, h := range r.found {
			found[h.rank] = true
		}
	}
	for i, d := range detectors {
		if !found[i] {
			t.Errorf("row %d: nothing is found of %s, %s", i, d.kind, d.literals)
		}
		if !validKind(d.kind) {
			t.Errorf("%q is no kind", d.kind)
		}
	}
}

// innocents are texts that hold no secret, whatever they look like.
var innocents = []string{
	"The quick brown fox asked the risk-averse disk-jockey about task-management.",
	"expected 200, got 401: the password is required",
	"SyntaxError: Unexpected token: punctuation (,)", "SyntaxError: Unexpected token < in JSON at position 0",
	"unexpected token 'function' after token: identifier", "Unexpected token: 'instanceof'",
	"the secret: persistence. The bearer of bad news, bearer authentication_required",
	"password: required", "Password must be at least 8 characters", "secret: undefined", "token=undefined", "api_key=${API_KEY}", "password={{ db_password }}",
	"token: $GITHUB_TOKEN", "--password <password>", "password=********", "password: [MASKED]", "api_key=os.environ['OPENAI_API_KEY']", "token = parser.next_token()",
	"login(password=self.password, user=self.user)", "assert token == 'abcdefgh12'", "if token != other_token_1:", "token > 12345678", "private_key=/etc/ssl/private/server.key",
	"max_tokens=4096000000, total_tokens: 1234567890, prompt_tokens=12345678", `{"usage":{"total_tokens":12345678,"token_count":123456789}}`,
	"commit 3f786850e387550fdab836ed7e6dc881de23001b", "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
	"md5 5d41402abc4b2a76b9719d911017c592", "550e8400-e29b-41d4-a716-446655440000", "req_011CSHoEeqs5C35K2UUqR7Fy", "chatcmpl-9nB2xYq7LmR3pT5vW8zA1cD4",
	"/usr/lib/python3.11/site-packages/openai/_base_client.py:1020", `C:\Users\ci\AppData\Local\Temp\pytest-of-ci\pytest-0`, "PWD=/home/runner/work/project/project2024",
	"https://example.com/a/b?c=d&e=f#g", "http://localhost:8080/users/@me", "ssh://git@github.com:22/org/repo.git", "git@github.com:org/repo.git", "see https://x.y/z at 10:30 or mail bob@example.com",
	"postgres://bob:****@db/x", "postgres://bob:${DB_PASSWORD}@db/x", "postgres://bob:<password>@db/x",
	"Authorization: Bearer <token>", "Authorization: Bearer ${TOKEN}", "authorization: required for this call", "Basic instructions are given", "basic authentication failed",
	"data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
	"-----BEGIN CERTIFICATE-----\nMIIBszCCAVmgAwIBAgIUQ\n-----END CERTIFICATE-----", "-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE\n-----END PUBLIC KEY-----",
	"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIPlain0Public0Key0Material0Here0123456 bob@host",
	"integrity sha512-Z1c7bJYbCxGQF2vZPmYxwB0uGHwYb1Jf1YzE4QwE2hX5m1sXc8t8p2xJ1mVYV1m5V8m0J9Yw1o2K3b4c5d6e7A==",
	"eyJust a word", "sk-learn, sk-8, SG.1, hf_hub_download, npm_config_registry=https://registry.npmjs.org/", "AKIA is a prefix", "xai-sdk, gsk_build, key-value store, us-east-1, eu-us12",
	"test_login[chromium-1280x720]", "100%25 of 5%20 cases %d %s %v", "\x1b[31mFAIL\x1b[0m 3 of 5", "a text [... 812 bytes cut ...]\nthat goes on", "[redacted:github-token] was here",
	"aGVsbG8gd29ybGQsIHRoaXMgaXMgbm90aGluZyB0byBoaWRl", "4111111111111111 is a number", "ISBN 978-3-16-148410-0",
}

// unseenInnocents hold what nobody sees, or escapes, and no secret.
var unseenInnocents = []string{
	"caf\u00e9 \u65e5\u672c, \u2764\ufe0f and 1\ufe0f\u20e3, co\u00adop\u00ader\u00adate", "a\x00b\x7fc", `{"name":"caf\u00e9"} &#8230; &#x; &#97 \u00`,
}

func TestInnocentsStay(t *testing.T) {
	r := redactor(t, Rules{})
	for _, s := range append(unseenInnocents, innocents...) {
		if got := r.Text(s); got != s {
			t.Errorf("%q became %q", s, got)
		}
	}
}

// TestMarkersSayNothingOfTheSecret: who knows the marker and guesses the secret
// must not learn whether the guess is right.
func TestMarkersSayNothingOfTheSecret(t *testing.T) {
	r := redactor(t, Rules{})
	one, two := "login "+"ghp_"+run(36, mixed), "login "+"ghp_"+run(36, lowhex)
	if a, b := r.Text(one), r.Text(two); a != b || a != "login [redacted:github-token]" {
		t.Errorf("%q and %q", a, b)
	}
}

func TestNumber(t *testing.T) {
	for _, c := range []struct{ reason, text, want string }{
		{"a marker gets the number", "a [redacted:token] b", "a [redacted:token:2] b"},
		{"the first one that has none", "[redacted:token:1] [redacted:pin] [redacted:pin]", "[redacted:token:1] [redacted:pin:2] [redacted:pin]"},
		{"no marker, no number", "a [redacted:] b", "a [redacted:] b"},
	} {
		if got := Number(c.text, 2); got != c.want {
			t.Errorf("%s: got %q, want %q", c.reason, got, c.want)
		}
		kinds := 0
		Markers(Number(c.text, 2), func(string, bool) { kinds++ })
		if want := strings.Count(c.text, "[redacted:token") + strings.Count(c.text, "[redacted:pin"); kinds != want {
			t.Errorf("%s: %d markers, want %d", c.reason, kinds, want)
		}
	}
}

func TestWhatUsersAskFor(t *testing.T) {
	r := redactor(t, Rules{Patterns: []Pattern{{Regexp: `ACME-\d+`}, {Kind: "badge", Regexp: `badge (\w+)`}}, Fields: []string{"X-Session", "pin"}})
	for _, c := range []struct{ reason, text, want string }{
		{"a pattern hides its match", "a ACME-12 b", "a [redacted:pattern] b"},
		{"a pattern with a group hides the group", "badge seven.", "badge [redacted:badge]."},
		{"a pattern in base64", base64.StdEncoding.EncodeToString([]byte("hello ACME-1234")), "[redacted:pattern]"},
		{"a field's value, however short", "pin=12, pin: 34", "pin=[redacted:field], pin: [redacted:field]"},
		{"a header, in any case", "x-session: abc", "x-session: [redacted:field]"},
		{"a header with a scheme", "X-Session: Bearer abc", "X-Session: [redacted:field]"},
		{"JSON", `{"pin": "1 2", "spin": "34"}`, `{"pin": "[redacted:field]", "spin": "34"}`},
	} {
		if got := r.Text(c.text); got != c.want {
			t.Errorf("%s: %q became %q, want %q", c.reason, c.text, got, c.want)
		}
	}
	for _, c := range []struct{ reason, name, value, want string }{
		{"a label of the field's name", "PIN", "1", "[redacted:field]"},
		{"a label called like a secret", "db_password", "hunter2hunter2", "[redacted:password]"},
		{"any other label", "model", "hunter2hunter2", "hunter2hunter2"},
		{"a short value", "token", "max", "max"},
		{"what is hidden stays", "token", "[redacted:token:1], [redacted:token]", "[redacted:token:1], [redacted:token]"},
	} {
		if got := r.Label(c.name, c.value); got != c.want {
			t.Errorf("%s: got %q, want %q", c.reason, got, c.want)
		}
	}
}

func TestRulesThatCannotBeUsed(t *testing.T) {
	for _, c := range []struct {
		reason string
		rules  Rules
		says   string
	}{
		{"no expression", Rules{Patterns: []Pattern{{Regexp: "a("}}}, "RE2"},
		{"it would hide everything", Rules{Patterns: []Pattern{{Regexp: "a*"}}}, "hide everything"},
		{"a kind that is no word", Rules{Patterns: []Pattern{{Kind: "A b", Regexp: "a"}}}, "lowercase letters"},
		{"a field without a name", Rules{Fields: []string{" "}}, "1 to 200"},
	} {
		if _, err := New(c.rules); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", c.reason, err)
		}
	}
}

// TestTheHeadOfASecretIsHidden: where a text was cut, what is left of a secret
// is still most of it.
func TestTheHeadOfASecretIsHidden(t *testing.T) {
	r := redactor(t, Rules{})
	token := "ghp_" + run(36, mixed)
	for _, c := range []struct{ reason, text string }{
		{"in a quotation", "malformed record \"" + token[:20] + "…\""},
		{"in kept output", "x " + token[:20] + "\n[... 99 bytes cut ...]\n" + token[20:] + " y"},
	} {
		if got := r.Text(c.text); survives(token, got) {
			t.Errorf("%s: %q became %q", c.reason, c.text, got)
		}
	}
}

func FuzzRedact(f *testing.F) {
	for _, s := range samples {
		f.Add(s.inText())
	}
	for i, s := range innocents {
		f.Add(s + encodings[i%len(encodings)].encode(samples[i%len(samples)].inText()))
	}
	r := redactor(f, Rules{Patterns: []Pattern{{Regexp: `ACME-\w+`}}, Fields: []string{"pin"}})
	f.Fuzz(func(t *testing.T, s string) {
		for _, once := range []string{r.Text(s), Number(r.Text(s), 1), r.Label("pin", s)} {
			if twice := r.Text(once); twice != once {
				t.Errorf("%q became %q and then %q", s, once, twice)
			}
		}
	})
}

func benchmark(b *testing.B, text string) {
	r := redactor(b, Rules{})
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		r.Text(text)
	}
}

func filled(s string) string { return strings.Repeat(s, 16<<10/len(s)+1)[:16<<10] }

func BenchmarkProse(b *testing.B) { benchmark(b, filled(strings.Join(innocents[:6], "\n"))) }
func BenchmarkLog(b *testing.B)   { benchmark(b, filled(strings.Join(innocents, "\n"))) }
func BenchmarkImage(b *testing.B) {
	benchmark(b, filled(base64.StdEncoding.EncodeToString([]byte(run(9000, "\x89PNG\x00\xff\xd8\x12\x9aQz\x07\xee\x81")))))
}

// The worst that a test can write: near misses of each detector, over and over.
func BenchmarkHostile(b *testing.B) {
	for _, s := range []string{"token=", "password: ", "eyJ", "eyJ\\n", "ghp_", "://a:", "-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----", "%41", "Authorization: Bearer ", "PMAK-", "[redacted:", "token=a.b(,", "a.b(token=", "\x1b[", "[... 1 bytes cut ...]", "a\u200b", `\u0061`, "&#97;"} {
		b.Run(s, func(b *testing.B) { benchmark(b, filled(s)) })
	}
}
