package contract_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tribunal/envelope"
	"tribunal/envelope/count"
	"tribunal/read"
	"tribunal/render"
	"tribunal/verdict"
)

// canaries have the shape of credentials and never were any. They are put
// together here so that no scanner of repositories reports this file.
var canaries = []string{
	"ghp" + "_aB3dE6gH9jK2mN5pQ8sT1vW4xYz0aB3dE6gH",
	"sk-ant" + "-api03-aB3dE6gH9jK2mN5pQ8sT1vW4xYz0_-aB3dE6gH9jK2mN5pQ8sT1vW4xYz0AA",
	"AKIA" + "A2B3C4D5E6F7GHA2",
}

// planted are the forms in which a secret is planted, and those in which none
// may be found.
var planted = []func(string) string{
	func(s string) string { return s },
	func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) },
	func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) },
	func(s string) string {
		return base64.StdEncoding.EncodeToString([]byte("a longer text with " + s + " inside"))
	},
	func(s string) string {
		return strings.ReplaceAll(url.QueryEscape("<"+s+">"), "-", "%2D")
	},
}

// leak names the form in which a secret is in a text.
func leak(text []byte, secret string) string {
	for _, f := range planted {
		if bytes.Contains(text, []byte(f(secret))) {
			return f(secret)
		}
	}
	for shift := range 3 { // in the middle of any encoded text
		middle := base64.StdEncoding.EncodeToString([]byte(strings.Repeat(" ", shift) + secret))
		middle = middle[4 : len(middle)-len(middle)%4-4]
		if bytes.Contains(text, []byte(middle)) {
			return middle
		}
	}
	return ""
}

// streamWith is a stream with the text in every place a stream has.
func streamWith(text string) string {
	object := func(fields map[string]any) string {
		line, err := json.Marshal(fields)
		if err != nil {
			panic(err)
		}
		return string(line) + "\n"
	}
	x := "x " + text + " y"
	trial := func(more map[string]any) string {
		fields := map[string]any{"test": "plain", "status": "fail", "attempt": 0}
		for k, v := range more {
			fields[k] = v
		}
		return object(fields)
	}
	var b strings.Builder
	b.WriteString(object(map[string]any{"type": "run", "name": x, "id": x, "commit": x, "labels": map[string]string{x: x, "token": text},
		"policy": map[string]any{"cluster_by": x, "redact_fields": []string{x}, "gates": []any{map[string]string{"name": x, "expr": `summary.fail >= 0`}},
			"redact_patterns": []any{map[string]string{"pattern": text}},
			"overrides":       []any{map[string]any{"match": x, "labels": map[string]string{x: x}, "policy": map[string]any{"rule": "any"}}}}}))
	b.WriteString(object(map[string]any{"type": x}))
	for i := range 2 {
		b.WriteString(trial(map[string]any{"suite": x, "test": x, "variant": x, "attempt": i, "run": x, "file": x, "error_class": x, "raw_status": x,
			"message": x, "output": strings.Repeat(x+"\n", 500), "labels": map[string]string{x: x, "token": fmt.Sprint(text, i)}, x: x}))
	}
	b.WriteString(trial(map[string]any{"started_at": x}))
	b.WriteString(trial(map[string]any{"attempt": 1, "status": x}))
	b.WriteString(trial(map[string]any{"attempt": 2, "score": x}))
	b.WriteString(trial(map[string]any{"attempt": 3, "labels": map[string]any{x: []int{1}}}))
	b.WriteString("noise " + text + "\n")
	b.WriteString(`{"test":"` + text + `", "broken": ` + text + "}\n")
	b.WriteString(`{"test":"` + text)
	return b.String()
}

func sealed(t *testing.T, layer envelope.Policy, inputs ...string) (*envelope.Run, *envelope.Envelope) {
	t.Helper()
	b := count.NewBuilder(5, 0.5)
	for i, text := range inputs {
		read.Stream(b, fmt.Sprintf("%d", i), strings.NewReader(text), "")
	}
	return judged(t, layer, b)
}

func judged(t *testing.T, layer envelope.Policy, b *count.Builder) (*envelope.Run, *envelope.Envelope) {
	t.Helper()
	var carried envelope.Policy
	if len(b.Policies()) == 1 {
		carried = verdict.Asked(b.Policies()[0])
	}
	policy, err := verdict.Resolve(verdict.Layer(carried, layer))
	if err != nil {
		t.Fatal(err)
	}
	run := b.Run(policy.OnConflict, 5)
	env, err := verdict.Seal(run, policy)
	if err != nil {
		t.Fatal(err)
	}
	return run, env
}

func TestNoFormatShowsACanary(t *testing.T) {
	for _, secret := range canaries {
		for i, form := range planted {
			b := count.NewBuilder(5, 0.5)
			read.Stream(b, "x "+form(secret)+".ndjson", strings.NewReader(streamWith(form(secret))), "")
			_, env := judged(t, envelope.Policy{}, b)
			for _, f := range render.Formats {
				out := write(t, f, env)
				if found := leak(out, secret); found != "" {
					at := bytes.Index(out, []byte(found))
					t.Errorf("%s, form %d: …%s…", f.Name, i, out[max(0, at-100):min(len(out), at+100)])
				}
			}
			if !slices.ContainsFunc(env.Problems, func(p envelope.Problem) bool { return p.Code == envelope.CodeRedacted && p.Count > 0 }) {
				t.Errorf("form %d: no problem says that secrets were redacted", i)
			}
		}
	}
}

// TestACanaryIsFoundWhenNothingIsRedacted: the test above can fail.
func TestACanaryIsFoundWhenNothingIsRedacted(t *testing.T) {
	_, env := sealed(t, envelope.Policy{Redact: envelope.Some(false)}, streamWith(canaries[0]))
	for _, f := range render.Formats {
		shows := !slices.Contains([]string{"minimal", "github", "openmetrics"}, f.Name)
		if out := write(t, f, env); shows && leak(out, canaries[0]) == "" {
			t.Errorf("%s does not show the canary that is left in:\n%.2000s", f.Name, out)
		}
	}
}

// TestRedactedEnvelopesReadBack: what was redacted is an input like any other.
func TestRedactedEnvelopesReadBack(t *testing.T) {
	form, _ := render.Formats.ByName("json")
	lines, _ := render.Formats.ByName("ndjson")
	all := ""
	for _, secret := range canaries {
		all += " " + secret
	}
	for _, layer := range []envelope.Policy{{}, {Redact: envelope.Some(false)}, {RedactFields: []string{"x"}, RedactPatterns: []envelope.RedactPattern{{Kind: "letter", Pattern: "y"}}}} {
		for _, text := range append(slices.Clone(canaries), all, "password="+canaries[2]+" y=2") {
			_, env := sealed(t, layer, streamWith(text))
			want := write(t, form, env)
			for _, from := range [][]byte{want, write(t, lines, env)} {
				_, again := sealed(t, envelope.Policy{}, string(from))
				if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(string(write(t, form, again)), "\n")); diff != "" {
					t.Fatalf("%q:\n%s", text, diff)
				}
			}
		}
	}
}

// TestRedactedEnvelopesMerge: reports of shards that hold secrets merge to the
// report of all, also where the secrets are names, differ from shard to shard,
// or come twice.
func TestRedactedEnvelopesMerge(t *testing.T) {
	form, _ := render.Formats.ByName("json")
	shard := func(secret, run, more string) string {
		return fmt.Sprintf(`{"type":"run","name":"n","commit":%[1]q}
{"test":"a %[1]s","run":%[2]q,"attempt":0,"status":"fail","message":"m %[1]s","labels":{"token":%[1]q}}
{"test":"b","run":"r %[1]s","attempt":0,"status":"fail","error_class":"c %[1]s","output":"o %[1]s%[3]s"}
{"test":"b","run":"q","attempt":0,"status":"pass"}
`, secret, run, more)
	}
	a, b, c := shard(canaries[0], "1", ""), shard(canaries[1], "1", ""), shard(canaries[0], "2", " "+canaries[2])
	report := func(inputs ...string) []byte {
		_, env := sealed(t, envelope.Policy{}, inputs...)
		return write(t, form, env)
	}
	named := func(input, name string) string { // a shard's own name, as command line and merge both give it
		return strings.ReplaceAll(input, `"input":"0"`, `"input":"`+name+`"`)
	}
	whole := report(a, b, c)
	parts := []string{named(string(report(a)), "0"), named(string(report(b)), "1"), named(string(report(c)), "2")}
	for _, merged := range [][]byte{report(parts...), report(parts[2], parts[0], parts[1])} {
		if diff := cmp.Diff(strings.Split(string(whole), "\n"), strings.Split(string(merged), "\n")); diff != "" {
			t.Error(diff)
		}
	}
}

func TestTheRunIsNotChanged(t *testing.T) {
	text := streamWith(canaries[0])
	run, _ := sealed(t, envelope.Policy{}, text)
	untouched, _ := sealed(t, envelope.Policy{Redact: envelope.Some(false)}, text)
	for i := range run.Tests { // outcomes are set where they are shared
		run.Tests[i].Rows.Outcome, untouched.Tests[i].Rows.Outcome = nil, nil
	}
	if diff := cmp.Diff(untouched, run, cmp.Exporter(exportAll), cmp.Comparer(sameFloat)); diff != "" {
		t.Error(diff)
	}
}

func TestTestsWithSecretsInTheirNamesStayApart(t *testing.T) {
	_, env := sealed(t, envelope.Policy{}, fmt.Sprintf(`{"test":"login %s","status":"pass"}
{"test":"login %s","status":"fail"}
{"test":"login zebra","status":"fail"}
{"test":"login Aardvark","status":"pass"}
`, canaries[0], canaries[0][:len(canaries[0])-1]+"7"))
	if len(env.Tests) != 4 || !slices.IsSortedFunc(env.Tests, func(x, y envelope.Test) int { return x.Key.Compare(y.Key) }) {
		t.Errorf("%d tests: %v", len(env.Tests), env.Tests)
	}
}

// TestSecretsOfOneKindKeepNamesApart: a marker says nothing of its secret, so that
// names which differ in their secrets alone are numbered; whatever the order of
// the inputs, raw or as reports of shards, the bytes are the same.
func TestSecretsOfOneKindKeepNamesApart(t *testing.T) {
	form, _ := render.Formats.ByName("json")
	other := canaries[0][:len(canaries[0])-1] + "7"
	shard := func(secret string) string {
		return fmt.Sprintf(`{"type":"run","name":"n","commit":%[1]q}
{"test":"a %[1]s","run":"r %[1]s","attempt":0,"status":"fail"}
{"test":"b","run":"r %[1]s","attempt":0,"status":"pass"}
`, secret)
	}
	report := func(inputs ...string) []byte {
		b := count.NewBuilder(5, 0.5)
		for _, text := range inputs {
			read.Stream(b, "in", strings.NewReader(text), "")
		}
		_, env := judged(t, envelope.Policy{}, b)
		return write(t, form, env)
	}
	a, b := shard(canaries[0]), shard(other)
	whole := report(a, b)
	for name, count := range map[string]int{"a [redacted:github-token:1]": 1, "a [redacted:github-token:2]": 1, "r [redacted:github-token:1]": 1, "r [redacted:github-token:2]": 1} {
		if n := bytes.Count(whole, []byte(name)); n < count {
			t.Errorf("%q is there %d times", name, n)
		}
	}
	if !bytes.Contains(whole, []byte(`"code":"numbered-names"`)) {
		t.Error("no problem says that names were numbered")
	}
	one := report(a)
	if bytes.Contains(one, []byte("token:1]")) || bytes.Contains(one, []byte("numbered-names")) {
		t.Errorf("what is alone has a number:\n%s", one)
	}
	for _, same := range [][2][]byte{
		{one, report(b)},
		{whole, report(b, a)},
		{whole, report(string(whole))},
		{report(string(report(a)), string(report(b))), report(string(report(b)), string(report(a)))},
		{report(a, string(whole)), report(string(whole), a)},
	} {
		if diff := cmp.Diff(strings.Split(string(same[0]), "\n"), strings.Split(string(same[1]), "\n")); diff != "" {
			t.Error(diff)
		}
	}
}
