package html

import (
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/regex"
	"tribunal/internal/verdict/why"
	"tribunal/internal/words"
	"tribunal/render/html/ansi"
	"tribunal/render/internal/standing"
)

type kept struct {
	Title    string
	Kept     []keptTrial
	More     []keptTrial // behind a click
	MoreText string
}

type keptTrial struct {
	Title           string
	Badge           badge
	About           []string // words of the run
	Measured        string
	Message, Output *output
	Checks          *output // that it failed, and why
	Labels          facts
	Files           []attached
	Same            []string // other trials that said the same
}

type output struct {
	Folded string // what it is, where it would fill the screen
	Lead   bool   // a message and not what was printed
	Spans  []ansi.Span
}

const (
	foldedLines = 25 // lines of a text shown without a click
	openTrials  = 5  // trials shown without a click
)

func (o *opener) newKept(t *envelope.Test) *kept {
	if len(t.Details) == 0 {
		return nil
	}
	out, said := &kept{}, 0
	run := t.SeveralRuns()
	for i := range t.Details {
		trial := o.newKeptTrial(&t.Details[i], t, run)
		if trial.silent() {
			continue
		}
		if labelled := standing.Labelled(t.Rows, t.Details[i].Trial); labelled != "" {
			trial.About = append(trial.About, labelled)
		}
		said++
		if same := slices.IndexFunc(out.Kept, trial.says); same >= 0 {
			alike := append([]string{trial.Title}, trial.About...)
			for _, file := range trial.Files {
				file.Note = strings.TrimPrefix(file.Note+" · "+strings.ToLower(trial.Title), " · ")
				out.Kept[same].Files = append(out.Kept[same].Files, file)
			}
			out.Kept[same].Same = append(out.Kept[same].Same, words.Join(" · ", append(alike, trial.Measured)...))
		} else if len(out.Kept) < openTrials {
			out.Kept = append(out.Kept, trial)
		} else {
			out.More = append(out.More, trial)
		}
	}
	if said == 0 {
		return nil
	}
	left := standing.NotKept(t)
	out.Title = "What trials said: texts of " + count(said) + " of " + plural(t.Trials.Total, "trial") + " kept" +
		words.If(left > 0, "; "+plural(left, "more failed trial")+" only with --keep-details")
	if n := len(out.More); n > 0 {
		out.MoreText = plural(n, "more trial")
	}
	return out
}

func (o *opener) newKeptTrial(d *envelope.Detail, t *envelope.Test, run bool) keptTrial {
	own := maps.Clone(d.Labels)
	maps.DeleteFunc(own, func(label, value string) bool { of, has := t.Labels[label]; return has && of == value })
	out := keptTrial{Title: "Trial " + count(d.Trial+1), Badge: newBadge(d.Status), Labels: labelFacts(own),
		Message: newOutput("Message", d.Message), Output: newOutput("Output", d.Output),
		Checks: newOutput("Failed checks", strings.Join(why.FailedChecks(t, d), "\n"))}
	if m := out.Message; m != nil && out.Output != nil && out.Output.Folded == "" && strings.Contains(out.Output.words(), m.words()) {
		out.Message, out.Output.Lead = nil, true // said once is enough
	}
	if d.Status == "" { // it came with a score or a category only
		out.Badge = badge{"NO STATUS", "other"}
	}
	other := func(o envelope.Detail) bool { return o.Attempt != d.Attempt }
	if d.Attempt.OK && int(d.Attempt.V) != d.Trial && (len(t.Details) == 1 || slices.ContainsFunc(t.Details, other)) {
		out.About = append(out.About, "attempt "+count(d.Attempt.V+1))
	}
	if run && d.Run != "" {
		out.About = append(out.About, "run "+name(d.Run, ""))
	}
	if d.ErrorClass != "" {
		out.About = append(out.About, name(d.ErrorClass, ""))
	}
	out.Files = o.attached(d.Attachments)
	out.Measured = strings.Join(measuredOf(t.Rows, d.Trial), " · ")
	return out
}

func (k *keptTrial) silent() bool {
	return k.Message == nil && k.Checks == nil && k.Output == nil && len(k.Labels) == 0 && len(k.Files) == 0 && len(k.About) == 0
}

func (k *keptTrial) says(o keptTrial) bool {
	return k.Badge == o.Badge && len(k.Labels)+len(o.Labels) == 0 && (len(k.Files)+len(o.Files) == 0 || k.Message != nil || k.Output != nil) &&
		k.Message.same(o.Message) && k.Output.same(o.Output) && k.Checks.same(o.Checks)
}

func (o *output) same(p *output) bool {
	return o == p || o != nil && p != nil && o.Folded == p.Folded && o.Lead == p.Lead && slices.Equal(o.Spans, p.Spans)
}

func measuredOf(rows *envelope.Rows, trial int) []string {
	if trial < 0 {
		return nil
	}
	return words.Present(rows.Score().Opt(trial).Text("score ", number),
		rows.DurationMS().Opt(trial).Text("", duration), rows.CostUSD().Opt(trial).Text("", dollars))
}

func (o *output) words() string {
	if o == nil {
		return ""
	}
	var all strings.Builder
	for _, s := range o.Spans {
		all.WriteString(s.Text)
	}
	return strings.Join(strings.Fields(all.String()), " ")
}

func newOutput(what, text string) *output {
	if text == "" {
		return nil
	}
	out := &output{Lead: what == "Message", Spans: ansi.Spans(text)}
	size := 0
	lines := 1
	for i, s := range out.Spans {
		size += len(s.Text)
		lines += strings.Count(s.Text, "\n")
		if i == len(out.Spans)-1 && strings.HasSuffix(s.Text, "\n") {
			lines--
		}
	}
	if lines > foldedLines || size > 80*foldedLines {
		out.Folded = what + ": " + plural(lines, "line") + ", " + plural(size, "byte")
	}
	return out
}

// sourceURL makes the address of a line of source from a template such as
// https://example.org/{commit}/{file}#L{line}. The zero value makes none.
type sourceURL struct{ template string }

type source struct{ Place, URL string }

var placeholder = regex.Of(`\{[^{}]*\}`)

var placeholders = []string{"{commit}", "{file}", "{line}"}

// CheckSourceURL says what is wrong with a template of Options.SourceURL.
func CheckSourceURL(template string) error {
	_, err := parseSourceURL(template)
	return err
}

const sourceExample = "give one such as https://github.com/me/project/blob/main/{file}#L{line}"

// parseSourceURL accepts absolute http and https addresses whose host is settled: what a test
// says of itself may choose a page there, but not another server.
func parseSourceURL(template string) (sourceURL, error) {
	if template == "" {
		return sourceURL{}, nil
	}
	for _, found := range placeholder().FindAllString(template, -1) {
		if !slices.Contains(placeholders, found) {
			return sourceURL{}, fmt.Errorf("%s is not known: use %s", found, strings.Join(placeholders, ", "))
		}
	}
	bare := placeholder().ReplaceAllString(template, "x")
	u, err := url.Parse(bare)
	switch {
	case err != nil:
		return sourceURL{}, fmt.Errorf("%w; %s", errors.Unwrap(err), sourceExample)
	case u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return sourceURL{}, errors.New("it is not an http or https address; " + sourceExample)
	case u.User != nil:
		return sourceURL{}, errors.New("it has a user name, which every reader of the page would see; leave it out")
	case strings.ContainsAny(bare, "{}"):
		return sourceURL{}, errors.New("it has an unmatched brace; " + sourceExample)
	case !strings.HasPrefix(template, u.Scheme+"://"+u.Host):
		return sourceURL{}, errors.New("begin it with http:// or https:// and a server name without a placeholder; " + sourceExample)
	}
	return sourceURL{template}, nil
}

func (s sourceURL) of(t *envelope.Test, commit string) *source {
	if t.File == "" {
		return nil
	}
	out := &source{Place: name(t.File, "no name")}
	out.Place += words.If(t.Line > 0, ":"+count(t.Line))
	out.URL = s.fill(commit, t.File, t.Line)
	return out
}

// fill puts the parts in, each escaped so that it stays one. It returns "" when
// the template asks for a part that is not known, and for files that are not
// below the root of the repository: ".." would lead to other pages of the server.
func (s sourceURL) fill(commit, file string, line int) string {
	if s.template == "" {
		return ""
	}
	parts := map[string]string{"{commit}": escapePart(commit), "{file}": escapePath(file)}
	if line > 0 {
		parts["{line}"] = strconv.Itoa(line)
	}
	complete := true
	address := placeholder().ReplaceAllStringFunc(s.template, func(found string) string {
		complete = complete && parts[found] != ""
		return parts[found]
	})
	return words.If(complete, address)
}

// escapePath escapes a relative path, "" for what is none.
func escapePath(file string) string {
	segments := strings.Split(strings.TrimPrefix(strings.ReplaceAll(file, `\`, "/"), "./"), "/")
	for i, segment := range segments {
		if segments[i] = escapePart(segment); segments[i] == "" {
			return ""
		}
	}
	return strings.Join(segments, "/")
}

// escapePart escapes everything that means something in an address. The dots
// that lead out of a folder do so however they are escaped, so they are no part.
func escapePart(part string) string {
	return words.If(part != "." && part != "..", strings.ReplaceAll(url.QueryEscape(part), "+", "%20"))
}
