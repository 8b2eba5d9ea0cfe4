package main

import (
	"bufio"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
)

// counts are what everybody must agree on.
type counts struct{ Total, Passed int }

// agree compares the answers that lie in the output folder after the jobs of a
// stream ran. It reads nothing whole, for the memory of this program would show
// in that of the others (see peak).
func (w workshop) agree(d data) error {
	ours, err := envelopeCounts(w.out(d.name + ": json"))
	if err != nil {
		return err
	}
	theirs, err := duckdbCounts(w.out(d.name + ": duckdb counts"))
	if err != nil {
		return err
	}
	if err := same("DuckDB", ours, theirs); err != nil {
		return fmt.Errorf("%s: %w", d.name, err)
	}
	tests, err := testcases(w.out(d.name + ": junit"))
	if err == nil && len(tests) != len(theirs) {
		err = fmt.Errorf("%s: our JUnit has %d tests, DuckDB %d", d.name, len(tests), len(theirs))
	}
	return err
}

// agreeOnGoTest compares what became of every test of a go test stream.
func (w workshop) agreeOnGoTest() error {
	ours, err := testcases(w.out("gotest: junit"))
	if err != nil {
		return err
	}
	for _, peer := range []string{"go-junit-report", "gotestsum"} {
		theirs, err := testcases(w.out("gotest: " + peer))
		if err == nil {
			err = same(peer, ours, theirs)
		}
		if err != nil {
			return fmt.Errorf("go test -json: %w", err)
		}
	}
	return nil
}

func same[V comparable](peer string, ours, theirs map[string]V) error {
	for key, v := range theirs {
		if got, ok := ours[key]; !ok || got != v {
			return fmt.Errorf("the answers differ: %s has %v for %q, ours is %v", peer, v, key, got)
		}
	}
	if len(ours) != len(theirs) {
		return fmt.Errorf("the answers differ: %s has %d tests, we have %d", peer, len(theirs), len(ours))
	}
	return nil
}

// envelopeCounts reads the tests of our json form one by one.
func envelopeCounts(path string) (map[string]counts, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	in := json.NewDecoder(bufio.NewReader(file))
	if err := toTests(in); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	all := map[string]counts{}
	for in.More() {
		var t struct {
			Suite, Test, Variant string
			Trials               counts
		}
		if err := in.Decode(&t); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		all[t.Suite+"\x00"+t.Test+"\x00"+t.Variant] = t.Trials
	}
	return all, nil
}

// toTests goes on to behind the bracket that opens the list of tests.
func toTests(in *json.Decoder) error {
	if _, err := in.Token(); err != nil {
		return err
	}
	for in.More() {
		key, err := in.Token()
		if err != nil {
			return err
		}
		if key == "tests" {
			_, err := in.Token()
			return err
		}
		if err := in.Decode(new(json.RawMessage)); err != nil {
			return err
		}
	}
	return errors.New("no tests in the envelope")
}

func duckdbCounts(path string) (map[string]counts, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	all := map[string]counts{}
	for in := json.NewDecoder(file); ; {
		var t struct {
			Suite, Test, Variant string
			counts
		}
		err := in.Decode(&t)
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		all[t.Suite+"\x00"+t.Test+"\x00"+t.Variant] = t.counts
	}
}

// testcases are the testcases of a JUnit file and what became of them. A test
// that stands there twice is an error: nothing in the streams runs twice.
func testcases(path string) (map[string]string, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	all := map[string]string{}
	for in := xml.NewDecoder(bufio.NewReader(cleaned{file})); ; {
		token, err := in.Token()
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		start, ok := token.(xml.StartElement)
		if !ok || start.Name.Local != "testcase" {
			continue
		}
		if err := testcase(in, start, all); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
}

func testcase(in *xml.Decoder, start xml.StartElement, all map[string]string) error {
	var t struct {
		Class   string    `xml:"classname,attr"`
		Name    string    `xml:"name,attr"`
		Skipped *struct{} `xml:"skipped"`
		Failure *struct{} `xml:"failure"`
	}
	if err := in.DecodeElement(&t, &start); err != nil {
		return err
	}
	key := t.Class + " " + t.Name
	if _, twice := all[key]; twice {
		return fmt.Errorf("%q is there twice", key)
	}
	switch {
	case t.Skipped != nil:
		all[key] = "skipped"
	case t.Failure != nil:
		all[key] = "failed"
	default:
		all[key] = "passed"
	}
	return nil
}

// cleaned replaces control characters, which go-junit-report copies into its
// XML, where no parser takes them.
type cleaned struct{ r io.Reader }

func (c cleaned) Read(b []byte) (int, error) {
	n, err := c.r.Read(b)
	for i, ch := range b[:n] {
		if ch < ' ' && ch != '\n' && ch != '\t' && ch != '\r' {
			b[i] = ' '
		}
	}
	return n, err
}
