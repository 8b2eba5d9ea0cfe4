package pytesthtml

import (
	"bytes"
	"html"
	"strconv"
	"strings"
	"time"

	"tribunal/envelope"
	"tribunal/internal/regex"
	"tribunal/read/internal/jsonwalk"
	"tribunal/read/internal/trialfields"
)

// This file finds the entries in a page: in the JSON of version 4, or in the table of those
// before.

// jsonBlob begins the results of version 4, in an attribute.
const jsonBlob = ` data-jsonblob="`

// result is an entry of version 4.
type result struct {
	Result, TestID, Log string
	Duration            duration
}

// duration is in seconds, or a text: "12 ms", "01:02:03", or what a hook makes of it.
type duration struct{ ms envelope.Opt[float64] }

// Take implements jsonwalk.Loose.
func (d *duration) Take(v jsonwalk.Value) { d.ms = milliseconds(v.String()) }

// UnmarshalJSON implements json.Unmarshaler.
func (d *duration) UnmarshalJSON(b []byte) error { return jsonwalk.Unmarshal(b, d) }

// blob reads the results of version 4.
func (p *page) blob(all []byte) {
	before, rest, _ := bytes.Cut(all, []byte(jsonBlob))
	text, _, whole := bytes.Cut(rest, []byte(`"`))
	if !whole {
		p.unreadable("this page ends in the middle of its results, which cannot be read; get a whole copy of the file and run again")
		return
	}
	inPage := inLine{p.to, bytes.Count(before, []byte("\n")) + 1}
	_ = jsonwalk.Strict(strings.NewReader(html.UnescapeString(string(text))), inPage, func(d *jsonwalk.Text) error {
		return d.Object(func(key string) error {
			if key != "tests" {
				return nil
			}
			return d.Object(func(id string) error { return d.Array(func() error { return p.result(d, id) }) })
		})
	}) // a text in memory has no error of its own
}

func (p *page) result(d *jsonwalk.Text, id string) error {
	r := result{}
	if err := d.Decode(&r); err != nil {
		return err
	}
	if phase, ok := strings.CutPrefix(r.TestID, id+"::"); ok {
		id += "::" + phase
	}
	p.add(id, entry{result: r.Result, log: plain(r.Log), duration: r.Duration.ms})
	return nil
}

// inLine says in which line of the page a problem is: the results stand in one.
type inLine struct {
	envelope.Sink
	line int
}

// Problem implements envelope.Sink.
func (s inLine) Problem(p envelope.Problem) {
	p.Line, p.Column = s.line, 1
	s.Sink.Problem(p)
}

// table reads the rows of versions 2 and 3.
func (p *page) table(all []byte) {
	for _, row := range rows().FindAllSubmatch(all, -1) {
		_, log, _ := bytes.Cut(row[1], []byte(`log">`))
		log, _, _ = bytes.Cut(log, []byte("</div>"))
		if bytes.Contains(row[1], []byte(`"empty log"`)) {
			log = nil
		}
		cells := map[string]string{}
		for _, cell := range cell().FindAllSubmatch(row[1], -1) {
			cells[string(cell[1])] = strings.TrimSpace(plain(string(cell[2])))
		}
		p.add(cells["name"], entry{result: cells["result"], log: plain(string(log)), duration: milliseconds(cells["duration"])})
	}
	if !bytes.Contains(all, []byte("</html>")) {
		p.unreadable("this page ends in the middle: later tests are missing; get a whole copy of the file and run again")
	}
}

var (
	rows = regex.Of(`(?s)<tbody class="\w+ results-table-row"[^>]*>(.*?)</tbody>`)
	cell = regex.Of(`(?s)<td class="col-(result|name|duration)"[^>]*>(.*?)</td>`)
	tags = regex.Of(`<[^>]*>`)
)

// plain is a text of the page without its tags.
func plain(text string) string {
	text = strings.ReplaceAll(text, "<br/>", "\n")
	return html.UnescapeString(tags().ReplaceAllString(text, ""))
}

// milliseconds is how long a test took, absent where a hook wrote it in words of its own.
func milliseconds(text string) envelope.Opt[float64] {
	unit := 1000.0
	if ms, ok := strings.CutSuffix(text, " ms"); ok {
		text, unit = ms, 1
	}
	if at, err := time.Parse(time.TimeOnly, text); err == nil {
		return trialfields.Milliseconds(float64(at.Hour()*3600+at.Minute()*60+at.Second()), 1000)
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return envelope.Opt[float64]{}
	}
	return trialfields.Milliseconds(n, unit)
}
