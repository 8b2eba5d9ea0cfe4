// Package block is what plain documents are made of. A plan or a ranking is made once,
// as parts of texts, lists, tables and charts; every format draws these in its own way.
//
// A block holds words and numbers, no markup. Texts are as their origin wrote them: a
// format makes them safe.
package block

import (
	"slices"
	"strings"

	"tribunal/envelope"
)

// Document is a title and parts below it.
type Document struct {
	Title    string // of a page
	About    string // what the document holds for, below the title of a page
	Tab      string // the title of a browser's tab
	Named    bool   // names that somebody chose stand in the titles
	Parts    []Part
	Problems []envelope.Problem
	Gate     *Gate  // what came of it, nil where nothing is wrong
	Next     string // a command to run next, or ""
}

// Gate is what a document does to a build.
type Gate struct {
	Status  envelope.Status
	Exit    int
	Reasons []string
}

// Part is a section: a heading, facts and blocks.
type Part struct {
	ID     string // in a page
	Title  string
	Remark string // "" or half a sentence beside the title
	Folded bool   // only to be looked up
	About  []Fact
	Blocks []Block
	// Summary is where a reader looks first: last on a terminal, and first on a page.
	Summary []Fact
}

// Add adds blocks to the part.
func (p *Part) Add(blocks ...Block) { p.Blocks = append(p.Blocks, blocks...) }

// Block is a Text, a List, a Table, Bars, a Chart or a Scatter.
type Block interface{ block() }

// Text is a sentence. A verdict may stand before it, or the name of a test, and names of
// others behind it.
type Text struct {
	Mark   envelope.Status
	Name   string
	Words  string
	Others []string
	Aside  bool     // less important than all else
	Detail bool     // for a terminal of those who ask for more
	Under  []string // sentences below it
}

// Fact is a sentence behind a word, and names or a mark before it. One without words is
// left out.
type Fact struct {
	Label, Mark, Words string
	Names              []string
	Tone               Tone
}

// Tone is how good the news is.
type Tone int

// The tones.
const (
	Plain Tone = iota
	Good
	Bad
	Open
)

// Gap stands between what a text begins with and its words.
func (t Text) Gap() string {
	if t.Words == "" || t.Mark == "" && t.Name == "" || strings.HasPrefix(t.Words, ":") {
		return ""
	}
	return " "
}

// List is short texts that belong together, only to be looked up where it has a title.
// Noun counts them.
type List struct {
	Title string
	Items []Text
	Noun  Noun
}

// Noun is what is counted.
type Noun struct{ One, Many string }

// Table is rows of cells under titles. Columns without any cell are left out.
type Table struct {
	Title   string // for those who hear it
	Columns []Column
	Rows    [][]string
	Keys    []envelope.Key // of tests, whose names are the cells of the first column of names
	Tones   []Tone         // of the first cells
	Legend  string
	More    int  // rows that nobody needs to see
	Noun    Noun // what a row is
	Spans   *Spans
}

// Column is a column of a Table.
type Column struct {
	Title  string
	Left   bool   // words; numbers stand on the right
	Name   bool   // what somebody else wrote
	Legend string // explains the column
	Below  bool   // sentences, which a terminal has below each row
	Spill  bool   // what a terminal without room for the column has below
	// Keep is how long the column stays on a narrow terminal: the least goes first, 0 never.
	// Where all are 0, the last one goes first.
	Keep int
}

// NameColumn is the first column of names, or the first one.
func (t *Table) NameColumn() int {
	return max(0, slices.IndexFunc(t.Columns, func(c Column) bool { return c.Name }))
}

// Rated reports whether columns say how long they stay.
func (t *Table) Rated() bool {
	return slices.ContainsFunc(t.Columns, func(c Column) bool { return c.Keep > 0 })
}

// Columns are columns of numbers, but for the first.
func Columns(titles ...string) []Column {
	out := make([]Column, len(titles))
	for i, title := range titles {
		out[i] = Column{Title: title, Left: i == 0}
	}
	return out
}

// Spans are values in 0 to 1 with their intervals, one for each row of a table.
type Spans struct {
	Title, Caption string
	Axis           string // what its ends are called
	Percent        bool
	Of             []Span
}

// Span is a value and its interval. First are those that stand out.
type Span struct {
	Value, Lo, Hi float64
	Words         string
	First         bool
}

// Bars are shares by a number.
type Bars struct {
	Title string
	Of    string // what the number counts
	Bars  []Bar
}

// Bar is one share. The planned one stands before the others.
type Bar struct {
	Number  int
	Share   float64
	Planned bool
}

// Chart is up to two lines over a rate. Stacked ones are shares: the first is of tests
// that pass, the second adds those that stay inconclusive, and the rest fails.
type Chart struct {
	Title   string
	Label   string // for those who do not see it
	Caption string
	X       string
	Lines   [2][]Point
	Stacked bool
	At      envelope.Opt[float64] // a rate that is marked
	Table   Table                 // the same in numbers
}

// Point is a place in a chart.
type Point struct{ X, Y float64 }

// Scatter is shares by what they cost.
type Scatter struct {
	Title, Label, Caption string
	X                     string
	Dots                  []Dot
	Table                 Table
}

// Dot is a point with a name. First are those that stand out.
type Dot struct {
	Point
	Name, Words string
	Number      int
	First       bool
}

func (Text) block()     {}
func (*List) block()    {}
func (*Table) block()   {}
func (*Bars) block()    {}
func (*Chart) block()   {}
func (*Scatter) block() {}
