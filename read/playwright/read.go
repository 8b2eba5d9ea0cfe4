// Package playwright reads the reports of Playwright's JSON reporter, and what its blob and
// HTML reporters write.
//
// It exists because this report, unlike Playwright's JUnit one, has every result
// of every test: retries, repeats (--repeat-each) and timeouts. A result is a
// trial; the project (browser) is the variant, the file is the suite, and the
// titles around a test belong to its name. Passing is ending as expected, so a
// test marked to fail passes by failing.
//
// The steps of a test are its checks, and attachments are named by their paths. It
// leaves out what attachments hold.
package playwright

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"path"
	"strings"

	"tribunal/envelope"
	"tribunal/read/internal/failure"
	"tribunal/read/internal/jsonwalk"
	"tribunal/read/internal/runfailure"
)

// Sniff reports whether head starts with a report: its configuration comes
// first, then its suites.
func Sniff(head []byte) bool {
	keys, inArray := jsonwalk.Keys(head)
	if inArray || !keys.Has("config") {
		return false
	}
	return keys.Has("suites") || len(keys) == 1 && bytes.Contains(head, []byte(`"rootDir"`)) && bytes.Contains(head, []byte(`"projects"`))
}

// Read reads one report.
func Read(r io.Reader, to envelope.Sink) error {
	rd := &reader{to: &runfailure.Watch{Sink: to}}
	err := jsonwalk.Strict(r, to, rd.report)
	rd.conclude("")
	if rd.header.StartedAt != "" || rd.header.Commit != "" {
		to.Header(rd.header, nil)
	}
	return err
}

type reader struct {
	*jsonwalk.Text
	to         *runfailure.Watch
	header     envelope.Header
	base       string           // the folder of the configuration
	folder     string           // of the tests, relative to the configuration
	found      []envelope.Trial // of the file that is read
	held       int              // bytes of their outputs
	stopped    bool             // the run ended before all tests did
	strict     bool             // flaky tests fail the run
	flaky      bool             // there are any
	unexpected int              // tests that failed, as the report counts them
}

func (rd *reader) report(d *jsonwalk.Text) error {
	rd.Text = d
	return d.Object(func(key string) error {
		switch key {
		case "config":
			return rd.config()
		case "suites":
			return d.Array(rd.file)
		case "errors":
			return d.Array(rd.failure)
		case "stats":
			return rd.stats()
		}
		return nil
	})
}

func (rd *reader) config() error {
	c := struct {
		ConfigFile, RootDir string
		Shard               *struct{ Current, Total int }
		FailOnFlakyTests    bool
		Metadata            struct {
			CI        struct{ CommitHash string }
			GitCommit struct{ Hash string }
		}
	}{}
	if err := rd.Decode(&c); err != nil {
		return err
	}
	rd.base = path.Dir(slashes(c.ConfigFile))
	rd.folder = below(rd.base, slashes(c.RootDir))
	rd.strict = c.FailOnFlakyTests
	if c.Shard != nil {
		rd.to.Run = fmt.Sprintf("shard %d of %d", c.Shard.Current, c.Shard.Total)
	}
	rd.header.Commit = cmp.Or(c.Metadata.GitCommit.Hash, c.Metadata.CI.CommitHash)
	return nil
}

func slashes(name string) string { return strings.ReplaceAll(name, `\`, "/") }

// below is the folder as seen from base, "" when it is base or elsewhere.
func below(base, folder string) string {
	if rest, ok := strings.CutPrefix(folder, strings.TrimSuffix(base, "/")+"/"); ok {
		return rest
	}
	return ""
}

func (rd *reader) stats() error {
	s := struct {
		StartTime         string
		Flaky, Unexpected int
	}{}
	err := rd.Decode(&s)
	rd.header.StartedAt, rd.flaky, rd.unexpected = s.StartTime, s.Flaky > 0, s.Unexpected
	return err
}

// conclude explains a run that failed though none of its tests did. Blob reports alone say how
// one ended.
func (rd *reader) conclude(status string) {
	rd.to.Counted(rd.unexpected, "tests")
	switch {
	case rd.stopped:
		rd.to.Explain("tests were not run, or not to their end, and none failed: the run was stopped, or its tests were only listed")
	case rd.strict && rd.flaky:
		rd.to.Explain("tests were flaky, for which Playwright fails this run (failOnFlakyTests)")
	case status != "" && status != "passed":
		rd.to.Explain("the run ended as " + status + ", and none of its tests failed")
	}
}

// failure is an error outside of all tests: a setup that failed, a file that
// does not load, or nothing to run.
func (rd *reader) failure() error {
	f := testError{}
	if err := rd.Decode(&f); err != nil {
		return err
	}
	rd.runFailed(f)
	return nil
}

func (rd *reader) runFailed(f testError) {
	t := envelope.Trial{Key: envelope.Key{Test: runfailure.Test}, Run: rd.to.Run, Status: envelope.Error,
		ErrorClass: envelope.ClassPreValidation, Message: cmp.Or(failure.Reason(f.Message, 2), "error without a message"), Output: f.text()}
	if strings.Contains(f.Message, "No tests found") {
		t.ErrorClass = envelope.ClassEmptyRun
	}
	rd.to.Send(&t)
}
