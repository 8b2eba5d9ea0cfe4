package playwright

import (
	"path"
	"slices"
	"strings"

	"tribunal/envelope"
	"tribunal/read/internal/failure"
	"tribunal/read/internal/trialfields"
)

const (
	maxNesting = 100      // describe blocks around each other
	maxHeld    = 32 << 20 // bytes of output that wait; more of one file than that is numbered in parts
)

// spec is one test as it is written; it runs once in each project, or more
// often with --repeat-each.
type spec struct {
	Title, File string
	Line        int
	Tags        []string
	Tests       []struct {
		ProjectName, ExpectedStatus string
		Annotations                 []annotation
		Results                     []result
	}
}

type annotation struct{ Type, Description string }

type result struct {
	Retry          int
	Status         string
	Duration       *float64
	StartTime      string
	Error          testError
	Errors         []testError
	Stdout, Stderr []struct{ Text string }
	Annotations    []annotation
	Steps          []*step
	Attachments    []attachment
}

type attachment struct{ Name, ContentType, Path string }

// step is a test.step of a test, or, in a blob report, an assertion; the JSON reporter
// leaves out those and what Playwright does itself.
type step struct {
	Title    string
	Duration float64 // below 0 when it did not end
	Error    *testError
	Steps    []*step
	asserts  bool // it is no test.step but an assertion
}

type testError struct{ Message, Stack, Value string }

func (f testError) text() string {
	for _, text := range []string{f.Stack, f.Message, f.Value} {
		if text != "" {
			return failure.Ends(text)
		}
	}
	return ""
}

// file reads the suite of one file. Its trials wait until all are there:
// repeats stand in no particular order, and their attempts follow their times.
func (rd *reader) file() error {
	err := rd.suite(nil)
	rd.deliver()
	return err
}

// suite reads a suite and those in it. The title of the outermost is its file.
func (rd *reader) suite(titles []string) error {
	if len(titles) > maxNesting {
		rd.Problem(envelope.SeverityError, envelope.CodeMalformed, "suites nested deeper than 100 are not read")
		return nil
	}
	title := ""
	return rd.Object(func(key string) error {
		switch key {
		case "title":
			return rd.Decode(&title)
		case "specs":
			return rd.Array(func() error { return rd.spec(append(titles, title)) })
		case "suites":
			return rd.Array(func() error { return rd.suite(append(slices.Clip(titles), title)) })
		}
		return nil
	})
}

func (rd *reader) spec(titles []string) error {
	s := spec{}
	if err := rd.Decode(&s); err != nil {
		return err
	}
	name := strings.Join(append(slices.Clone(titles[1:]), s.Title), " › ")
	if s.Title == "" {
		rd.Problem(envelope.SeverityError, envelope.CodeMalformed, "a test without a title is not counted")
		return nil
	}
	proto := envelope.Trial{Key: envelope.Key{Suite: titles[0], Test: name}, Run: rd.to.Run, Line: max(s.Line, 0)}
	if s.File != "" {
		proto.File = path.Join(rd.folder, slashes(s.File))
	}
	for i := range s.Tests {
		t := &s.Tests[i]
		proto.Variant, proto.Labels = t.ProjectName, nil
		annotate(&proto, s.Tags, t.Annotations)
		if len(t.Results) == 0 {
			rd.unrun(proto, t.ExpectedStatus == "skipped", t.Annotations)
		}
		for j := range t.Results {
			rd.result(proto, &t.Results[j], t.ExpectedStatus)
		}
	}
	if rd.held > maxHeld {
		rd.deliver()
	}
	return nil
}

// annotate sets what tags and annotations say. Those of Playwright itself give
// the reason for a skip.
func annotate(t *envelope.Trial, tags []string, notes []annotation) {
	if len(tags) > 0 {
		trialfields.Set(t, "tags", strings.Join(tags, ","))
	}
	for _, n := range notes {
		switch n.Type {
		case "skip", "fixme", "fail", "slow":
			if t.Message == "" {
				t.Message = failure.Reason(n.Description, 1)
			}
		default:
			trialfields.Set(t, n.Type, n.Description)
		}
	}
}

// unrun finds a test that has no result: the run ended before it began, unless the test is
// to be skipped.
func (rd *reader) unrun(t envelope.Trial, skipped bool, notes []annotation) {
	t.Status, t.Message = envelope.Skip, "did not run"
	rd.found = append(rd.found, t)
	rd.stopped = rd.stopped || !skipped && !slices.ContainsFunc(notes, annotation.skips)
}

// skips reports whether an annotation is that of a test that is to be skipped.
func (a annotation) skips() bool { return a.Type == "skip" || a.Type == "fixme" }

// deliver numbers the trials of a file: those of a test by their times, or as
// they stand where one has none.
func (rd *reader) deliver() {
	slices.SortStableFunc(rd.found, func(a, b envelope.Trial) int { return a.Key.Compare(b.Key) })
	for from := 0; from < len(rd.found); {
		to := from
		for to < len(rd.found) && rd.found[to].Key == rd.found[from].Key {
			to++
		}
		rd.deliverTest(rd.found[from:to])
		from = to
	}
	rd.found, rd.held = rd.found[:0], 0
}

func (rd *reader) deliverTest(trials []envelope.Trial) {
	if !slices.ContainsFunc(trials, func(t envelope.Trial) bool { return t.StartedAt.IsZero() }) {
		slices.SortStableFunc(trials, func(a, b envelope.Trial) int { return a.StartedAt.Compare(b.StartedAt) })
	}
	passed := slices.ContainsFunc(trials, func(t envelope.Trial) bool { return t.Status == envelope.Pass })
	for i := range trials {
		t := &trials[i]
		t.Attempt = rd.attempts.Next(t.Key)
		if passed && t.RawStatus == interrupted { // it does not count beside a pass
			rd.stopped = true
			rd.to.Sink.Trial(t)
		} else {
			rd.to.Trial(t)
		}
	}
}
