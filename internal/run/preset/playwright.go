package preset

import (
	"bytes"
	"cmp"
	"errors"
	"regexp"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/each"
	"tribunal/read/playwright"
)

// listPlaywright reads playwright test --list --reporter=json, which is a report in
// which no test has run: the reader of reports names its tests.
func listPlaywright(*command) (func([]byte) ([]Test, error), error) {
	return func(stdout []byte) ([]Test, error) {
		if at := bytes.Index(stdout, []byte("\n{")); at >= 0 && !bytes.HasPrefix(stdout, []byte("{")) {
			stdout = stdout[at+1:] // behind what the configuration printed
		}
		if len(stdout) == 0 {
			return nil, errors.New("there is no list; is Playwright installed?")
		}
		l := list{}
		if err := playwright.Read(bytes.NewReader(stdout), &l); err != nil {
			return nil, err
		}
		if l.wrong != "" {
			return nil, errors.New(l.wrong)
		}
		if len(l.tests) == 0 {
			return nil, errors.New("there is no test to run")
		}
		return l.tests, nil
	}, nil
}

// tags is the label that the reader makes of the tags of a test.
const tags = "tags"

// list is a sink that takes trials for the tests they are of.
type list struct {
	tests []Test
	wrong string // the first thing
}

func (l *list) Trial(t *envelope.Trial) {
	if t.Status == envelope.Error { // of no test: a file that does not load, or that none was run
		if t.ErrorClass != envelope.ClassInfrastructure {
			l.addProblem(t.Message)
		}
		return
	}
	test := Test{Key: t.Key}
	for _, label := range t.Labels {
		if label.Name == tags {
			test.Labels = map[string]string{tags: label.Value}
		}
	}
	l.tests = append(l.tests, test)
}

func (l *list) Problem(p envelope.Problem) { l.addProblem(p.Message) }

func (l *list) addProblem(what string) { l.wrong = cmp.Or(l.wrong, what) }

func (l *list) Header(envelope.Header, *envelope.Carried) {}
func (l *list) Recorded(*envelope.Recorded)               {}

// spellPlaywright is an expression for --grep, which is held against project, file, titles and tags
// with blanks between. The report joins titles with arrows, which may stand in a title as well.
func spellPlaywright(t Test) string {
	var s strings.Builder
	s.WriteString(`/^\s*` + spellJS(t.Variant) + `\s*` + spellFile(t))
	for _, title := range strings.Split(t.Test, " › ") {
		s.WriteString(`(?:\s|›)*` + spellJS(title))
	}
	s.WriteString(`(?:\s+@` + spellTags(t) + `)*\s*$/`)
	return s.String()
}

// spellTags is any of the tags of a test, or of all where they are not known.
func spellTags(t Test) string {
	if t.Labels[tags] == "" {
		return `\S+`
	}
	return "(?:" + strings.Join(each.Of(strings.Split(t.Labels[tags], ","), spellJS), "|") + ")"
}

func spellFile(t Test) string { return strings.ReplaceAll(spellJS(t.Suite), "/", `[\\/]`) }

var lineEnds = strings.NewReplacer("\n", `\n`, "\r", `\r`, "\u2028", `\u2028`, "\u2029", `\u2029`)

func spellJS(text string) string { return lineEnds.Replace(regexp.QuoteMeta(text)) }
