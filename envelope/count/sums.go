package count

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"tribunal/envelope"
	"tribunal/envelope/internal/arguments"
	"tribunal/internal/hash"
	"tribunal/internal/redact"
)

// Sums are those of the trials that a Builder had when it was asked last. A numbered trial that
// came twice counts once, as it does in Run. Trials that are dealt by a label have none.
type Sums struct {
	All      envelope.TrialsSum   // with what could not be read
	Errors   int                  // what could not be read
	Came     []envelope.TrialsSum // what came last and counts, by input
	trials   envelope.TrialsSum
	bySource map[int32]*envelope.TrialsSum
	tests    []uint64        // their hashes, by number
	reasons  []uint64        // likewise
	merged   int             // tests whose recorded rows are in it
	arrived  int             // trials that are in it
	numbered map[uint64]bool // trials with an attempt, by run and content
}

// Sum adds what came since to the sums, and returns those of the inputs that it came from.
func (b *Builder) Sum(s *Sums) (inputs []envelope.TrialsSum) {
	b.counting.Lock()
	defer b.counting.Unlock()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, tl := range b.tests[len(s.tests):] {
		s.tests = append(s.tests, tl.Key.Hash())
	}
	s.reasons = envelope.HashReasons(s.reasons, b.reasons.list[len(s.reasons):])
	since := map[int32]*envelope.TrialsSum{}
	for _, test := range b.merged[s.merged:] {
		rows := b.tests[test].merged
		s.add(rows, slices.Repeat([]uint64{s.tests[test]}, rows.Len()), since)
	}
	s.merged = len(b.merged)
	for ; s.arrived < b.arrivals.count; s.arrived += chunkRows - s.arrived%chunkRows {
		c := b.arrivals.chunks[s.arrived/chunkRows]
		from := s.arrived % chunkRows
		hashes := make([]uint64, len(c.tests)-from)
		for i, test := range c.tests[from:] {
			hashes[i] = s.tests[test]
		}
		rows := c.rows.Stretch(from, len(c.tests))
		s.add(&rows, hashes, since)
	}
	s.arrived = b.arrivals.count
	errors := b.errors()
	s.All, s.Errors = s.trials, 0
	for _, of := range errors {
		s.All.Add(envelope.SumOfErrors(of))
		s.Errors += len(of)
	}
	s.Came = s.Came[:0]
	for source, came := range since {
		s.Came = append(s.Came, *came)
		sum := *s.bySource[source]
		for _, one := range b.sets.sets[source] {
			sum.Add(envelope.SumOfErrors(errors[b.sources[one].Input]))
		}
		inputs = append(inputs, sum)
	}
	return inputs
}

// errors are those of reading so far, by input.
func (b *Builder) errors() map[string][]envelope.Problem {
	of := map[string][]envelope.Problem{}
	for _, p := range b.problems.list() {
		if p.IsOfReading() {
			of[p.Input] = append(of[p.Input], p)
		}
	}
	return of
}

// add adds rows whose tests have these hashes. What counts of them comes to since, by source.
func (s *Sums) add(rows *envelope.Rows, hashes []uint64, since map[int32]*envelope.TrialsSum) {
	if s.bySource == nil {
		s.bySource, s.numbered = map[int32]*envelope.TrialsSum{}, map[uint64]bool{}
	}
	sources, attempts, runs := rows.Source(), rows.Attempt(), rows.Run()
	rows.Sums(hashes, s.reasons, func(i int, sum envelope.TrialsSum) {
		source := sources.Opt(i).V
		if since[source] == nil {
			since[source] = &envelope.TrialsSum{}
		}
		if s.bySource[source] == nil {
			s.bySource[source] = &envelope.TrialsSum{}
		}
		s.bySource[source].Add(sum)
		if _, numbered := attempts.At(i); numbered {
			place := hash.Text(sum.Hash(), runs.At(i))
			if s.numbered[place] {
				return
			}
			s.numbered[place] = true
		}
		s.trials.Add(sum)
		since[source].Add(sum)
	})
}

// fingerprinter takes secrets out of what digests are made of, and makes those of the
// arguments of calls. It must not be used by two goroutines at once.
type fingerprinter struct {
	*redact.Redactor
	known         *digests
	conversations *envelope.Repeated // what they say again and again
	// clear says that what was looked at since it was set holds no secret, nor what
	// stands for one: it need not be looked at again before it is published.
	clear bool
	why   *reasoner // of the trials that it looks at
	// unpublished says that nobody is shown a digest, and none is made: to look for
	// secrets in every failing text takes two fifths of reading long ones.
	unpublished bool
}

func newFingerprinter(r *redact.Redactor, all *reasons) *fingerprinter {
	return &fingerprinter{Redactor: r, known: &digests{}, conversations: &envelope.Repeated{}, why: all.finder(r)}
}

// another is a digester for another goroutine.
func (d *fingerprinter) another() *fingerprinter {
	r := d.Another()
	return &fingerprinter{Redactor: r, known: d.known, conversations: d.conversations, why: d.why.all.finder(r), unpublished: d.unpublished}
}

// Text is that of the Redactor, as are Again and Label.
func (d *fingerprinter) Text(s string) string { return d.addText(s, d.Redactor.Text(s)) }

// Again is that of the Redactor.
func (d *fingerprinter) Again(s string) string { return d.addText(s, d.Redactor.Again(s)) }

// Label is that of the Redactor.
func (d *fingerprinter) Label(name, value string) string {
	return d.addText(value, d.Redactor.Label(name, value))
}

func (d *fingerprinter) addText(s, left string) string {
	d.clear = d.clear && left == s && !redact.HoldsMark(s) && utf8.ValidString(s)
	return left
}

// clearConversation looks at what no digest is made of in the turns that are kept of a
// conversation, and reports whether all of it is clear.
func (d *fingerprinter) clearConversation(turns []envelope.Turn) bool {
	for i := range turns {
		if !d.clear {
			return false
		}
		d.look(&turns[i])
	}
	return d.clear
}

func (d *fingerprinter) look(t *envelope.Turn) {
	if d.Text(t.Role); t.Role == envelope.RoleSystem {
		d.Again(t.Text)
		d.Again(t.Reasoning)
	}
	for _, s := range []string{t.ToolCallID, t.Name, t.Agent} {
		d.Text(s)
	}
	for i := range t.ToolCalls {
		d.Text(t.ToolCalls[i].ID)
		d.Text(t.ToolCalls[i].Name)
	}
	for i := range t.Attachments {
		d.attachment(&t.Attachments[i], func(string) {})
	}
}

// attachment gives what is left of the texts of an attachment to put.
func (d *fingerprinter) attachment(a *envelope.Attachment, put func(string)) {
	for _, s := range []string{a.Name, a.Path, a.URL, a.MediaType} {
		put(d.Text(s))
	}
}

func (d *fingerprinter) step(c *envelope.ToolCall) envelope.Step {
	made, known := d.known.of(c.Arguments)
	if !known {
		made = d.made(c.Arguments)
		d.known.add(c.Arguments, made)
	}
	d.clear = d.clear && made.clear
	return envelope.Step{Name: repaired(c.Name), Digest: made.digest}
}

// made is the digest of arguments, and whether these are clear.
func (d *fingerprinter) made(args string) digested {
	before := d.clear
	defer func() { d.clear = before }()
	d.clear = true
	digest := d.digest(args)
	return digested{digest, d.clear}
}

type digested struct {
	digest string
	clear  bool
}

// digest is made of what is left of arguments without their secrets, as that of a row is.
func (d *fingerprinter) digest(args string) string {
	hide := func(text string) string { return redact.Anonymous(d.Text(text)) }
	label := func(key, value string) string { return redact.Anonymous(d.Label(key, value)) }
	sum := sha256.Sum256(arguments.Canonical(nil, args, hide, label))
	return hex.EncodeToString(sum[:8])
}

// digests are those of arguments that were met before: trials of a test mostly call alike.
type digests struct {
	mu   sync.RWMutex
	by   map[string]digested
	size int
}

// mostDigested is how many bytes of arguments are remembered.
const mostDigested = 4 << 20

func (d *digests) of(args string) (made digested, known bool) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	made, known = d.by[args]
	return made, known
}

func (d *digests) add(args string, made digested) {
	if len(args) > mostDigested/16 {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.size += len(args) + len(made.digest); d.by == nil || d.size > mostDigested {
		d.by, d.size = map[string]digested{}, len(args)+len(made.digest)
	}
	d.by[strings.Clone(args)] = made
}
