package contract_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
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

// withoutTexts are the formats in which nothing stands that a trial said.
var withoutTexts = []string{"minimal", "badge"}

// TestACanaryIsFoundWhenNothingIsRedacted: the test above can fail.
func TestACanaryIsFoundWhenNothingIsRedacted(t *testing.T) {
	_, env := sealed(t, envelope.Policy{Redact: envelope.Some(false)}, streamWith(canaries[0]))
	for _, f := range render.Formats {
		out := write(t, f, env)
		if shows, may := leak(out, canaries[0]) != "", !slices.Contains(withoutTexts, f.Name); shows != may {
			t.Errorf("%s shows what a trial said: %v, which is to stand in withoutTexts or not:\n%.2000s", f.Name, shows, out)
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
// names that differ only in secrets are numbered; whatever the order of
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

// shardOf is a stream of trials of one test that did not pass, numbered from the
// first on, with a text in each.
func shardOf(first int, message func(text string) string, texts ...string) string {
	var b strings.Builder
	for i, text := range texts {
		line, err := json.Marshal(map[string]any{"test": "t", "run": "r", "attempt": first + i, "status": "fail",
			"message": message(text), "output": "before " + text + " behind", "labels": map[string]string{"staff_no": text}})
		if err != nil {
			panic(err)
		}
		b.Write(append(line, '\n'))
	}
	return b.String()
}

// jsonOf judges streams and writes the report that is read again.
func jsonOf(t *testing.T, asked envelope.Policy, inputs ...string) []byte {
	t.Helper()
	b, err := verdict.NewBuilder(asked)
	if err != nil {
		t.Fatal(err)
	}
	for i, input := range inputs {
		read.Stream(b, fmt.Sprintf("%d.ndjson", i), strings.NewReader(input), "")
	}
	e, err := verdict.Judge(b, asked)
	if err != nil {
		t.Fatal(err)
	}
	f, err := render.Formats.ByName("json")
	if err != nil {
		t.Fatal(err)
	}
	return write(t, f, e)
}

// TestNoNumberTellsASecret: of two runs that differ in secrets alone, the reports
// are the same to the byte, with all numbers that trials keep of their texts.
// Whoever knows a message but the secret in it cannot try guesses on them.
func TestNoNumberTellsASecret(t *testing.T) {
	message := func(text string) string { return "401 for " + text }
	first, second := "ghp"+"_aB3dE6gH9jK2mN5pQ8sT1vW4xYz0aB3dE6gH", "ghp"+"_Zz3dE6gH9jK2mN5pQ8sT1vW4xYz0aB3dE6gH"
	const details = "0" // so that numbers alone are left of the texts
	for _, c := range []struct {
		reason string
		asked  envelope.Policy
		a, b   string
	}{
		{"the table knows its shape", envelope.Policy{}, first, second},
		{"a pattern of the policy", envelope.Policy{RedactPatterns: []envelope.RedactPattern{{Pattern: `badge-[0-9]{4}`}}}, "badge-4711", "badge-0815"},
	} {
		asked := c.asked
		asked.KeepDetails = details
		for _, copies := range []int{1, 3} {
			a := jsonOf(t, asked, shardOf(0, message, slices.Repeat([]string{c.a}, copies)...))
			b := jsonOf(t, asked, shardOf(0, message, slices.Repeat([]string{c.b}, copies)...))
			if !bytes.Contains(a, []byte(`"digest"`)) {
				t.Fatalf("%s: no digest in\n%s", c.reason, a)
			}
			if diff := cmp.Diff(string(a), string(b)); diff != "" {
				t.Errorf("%s, %d trials: the reports differ:\n%s", c.reason, copies, diff)
			}
		}
	}
	// A report that hides nothing may be the input of one that does.
	off := envelope.Policy{Redact: envelope.Some(false), KeepDetails: details}
	digest := regexp.MustCompile(`"digest":\[[0-9]+\]`)
	a := digest.Find(jsonOf(t, off, shardOf(0, message, first)))
	b := digest.Find(jsonOf(t, off, shardOf(0, message, second)))
	if a == nil || !bytes.Equal(a, b) {
		t.Errorf("nothing is hidden: %s and %s", a, b)
	}
}

// TestDigestsTellTrialsApart: what is left of the texts still tells trials apart,
// and the same trial delivered twice still counts once, in one report as in one
// that merges two.
func TestDigestsTellTrialsApart(t *testing.T) {
	x := func(text string) string { return "x " + text }
	secret := "ghp" + "_aB3dE6gH9jK2mN5pQ8sT1vW4xYz0aB3dE6gH"
	other := "ghp" + "_Zz3dE6gH9jK2mN5pQ8sT1vW4xYz0aB3dE6gH"
	for _, c := range []struct {
		reason, a, b string
		trials       int
	}{
		{"different words beside the same secret", shardOf(0, x, "Lyon "+secret), shardOf(0, x, "Lisbon "+secret), 2},
		{"the same trial twice", shardOf(0, x, "Lyon "+secret), shardOf(0, x, "Lyon "+secret), 1},
		{"the same trial but for its secret, of which nothing is kept", shardOf(0, x, "Lyon "+secret), shardOf(0, x, "Lyon "+other), 1},
		{"trials of their own", shardOf(0, x, "Lyon "+secret, "Lyon"), shardOf(1, x, "Lyon "+secret, "Lyon"), 4},
		{"a long text that differs at its end", shardOf(0, x, strings.Repeat("m", 40_000)+"a"), shardOf(0, x, strings.Repeat("m", 40_000)+"b"), 2},
	} {
		whole := jsonOf(t, envelope.Policy{}, c.a, c.b)
		if want := fmt.Sprintf(`"trials":{"total":%d,`, c.trials); !bytes.Contains(whole, []byte(want)) {
			t.Errorf("%s: %s is not in\n%.2000s", c.reason, want, whole)
		}
		_, merged := sealed(t, envelope.Policy{}, string(jsonOf(t, envelope.Policy{}, c.a)), string(jsonOf(t, envelope.Policy{}, c.b)))
		if got := merged.Tests[0].Trials.Total; got != c.trials {
			t.Errorf("%s: %d trials when merged, want %d", c.reason, got, c.trials)
		}
	}
}
