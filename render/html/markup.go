package html

import (
	"html/template"
	"io"
	"strings"
	"sync"
)

// markup is HTML in the making. What a page has many times for each test is written here: templates take too long for it.
type markup struct{ html []byte }

// write adds HTML in which every %s is the next text, escaped as html/template escapes it.
func (m *markup) write(html string, texts ...string) {
	for _, text := range texts {
		at := strings.Index(html, "%s")
		m.html = appendText(append(m.html, html[:at]...), text)
		html = html[at+2:]
	}
	m.html = append(m.html, html...)
}

func (m *markup) given(html, text string) {
	if text != "" {
		m.write(html, text)
	}
}

func (m *markup) when(condition bool, html string) {
	if condition {
		m.write(html)
	}
}

// draw writes what a template of the report makes of data. It fails on no data, because each
// template has data of one type, and w is in memory.
func draw(w io.Writer, part string, data any) {
	if err := review().Parts.ExecuteTemplate(w, part, data); err != nil {
		panic(err)
	}
}

// Write implements io.Writer.
func (m *markup) Write(html []byte) (int, error) {
	m.html = append(m.html, html...)
	return len(html), nil
}

var entities = [256]string{0: "\uFFFD", '"': "&#34;", '&': "&amp;", '\'': "&#39;", '+': "&#43;", '<': "&lt;", '>': "&gt;"}

// appendText escapes a text that stands between elements or in a quoted attribute.
func appendText(to []byte, text string) []byte {
	from := 0
	for i := range len(text) {
		if entity := entities[text[i]]; entity != "" {
			to, from = append(append(to, text[from:i]...), entity...), i+1
		}
	}
	return append(to, text[from:]...)
}

var spare = sync.Pool{New: func() any { return new(markup) }}

func htmlOf(write func(m *markup)) template.HTML {
	m := spare.Get().(*markup)
	defer spare.Put(m)
	m.html = m.html[:0]
	write(m)
	return template.HTML(m.html)
}

// HTML is a test that opens.
func (r row) HTML() template.HTML { return htmlOf(r.write) }

func (r *row) write(m *markup) {
	m.write(`<details class="test" id="%s" data-kind="%s"`, r.ID, r.Kind)
	m.when(r.Open, ` open`)
	m.write(">\n"+`<summary><span class="glyph %s"><i>%s</i></span> <span class="name">`, r.Kind, r.Status)
	m.name(r)
	m.write(`</span> <span class="why">`)
	m.given(`<bdi>%s</bdi>`, r.Why)
	m.write(`</span>`)
	if r.Passed != "" {
		m.write(` <span class="strip" role="img" aria-label="`)
		for _, l := range r.Strip { // for who cannot see the cells
			m.write(`%s, `, l.Title)
		}
		m.write(`in all %s">`, r.Passed)
		m.strip(r.Strip)
		m.write(`</span> <span class="kn"><i>passed </i>%s</span>`, r.Passed)
		if r.Rate != nil {
			m.write(` <span class="rate">%s <small>%s</small></span> `, r.Rate.Value, r.Rate.Interval)
			m.plot(&r.Rate.Plot)
		}
	}
	m.given(` <span class="time"><i>median </i>%s</span>`, r.Time)
	m.given(` <span class="cost">%s</span>`, r.Cost)
	m.write("</summary>\n")
	if r.Detail != nil {
		r.Detail.write(m)
	} else {
		m.write(`<div class="body unread"><p class="note away">One moment.</p>` + "\n</div>\n")
	}
	m.write(`</details>`)
}

func (d *detail) write(m *markup) {
	m.write(`<div class="body">` + "\n")
	m.given(`<p class="reason">%s</p>`+"\n", d.Reason)
	m.given(`<p class="change">%s</p>`+"\n", d.Change)
	if d.Source != nil {
		draw(m, "source", d.Source)
	}
	if d.Inside != nil {
		draw(m, "inside", d.Inside)
	}
	if k := d.Trials; k != nil {
		m.write(`<section class="part trials"><h4>%s</h4>`+"\n", k.Title)
		m.trials(k.Kept)
		if len(k.More) > 0 {
			m.write(`<details class="output"><summary>%s</summary>`+"\n", k.MoreText)
			m.trials(k.More)
			m.write("</details>\n")
		}
		m.write("</section>\n")
	}
	if d.More != nil {
		d.More.write(m)
	} else {
		m.write(`<p class="note away">Its numbers and pictures are data, which takes JavaScript to show.</p>` + "\n")
	}
	m.write("</div>\n")
}

func (d *more) write(m *markup) {
	m.write(`<details class="output numbers"><summary>Numbers</summary>` + "\n")
	if len(d.Words) > 0 {
		m.write(`<ul class="grounds">`)
		for _, said := range d.Words {
			m.write(`<li>%s</li>`, said)
		}
		m.write("</ul>\n")
	}
	if len(d.Charts) > 0 || d.Curve != nil {
		m.write(`<div class="charts">` + "\n")
		for _, c := range d.Charts {
			m.write(`<figure><figcaption>%s</figcaption>`, c.Title)
			c.write(m)
			m.write("</figure>\n")
		}
		if c := d.Curve; c != nil {
			m.write(`<figure><figcaption>%s</figcaption>`, c.Title)
			if c.Chart != nil {
				c.Chart.write(m)
			}
			m.write(`<p class="note">%s</p></figure>`+"\n", c.Values)
		}
		m.write("</div>\n")
	}
	m.write(`<div class="facts">`)
	for _, of := range d.Facts {
		m.write(`<section><h4>%s</h4>`, of.Title)
		m.facts(of.Facts)
		m.write(`</section>`)
	}
	m.write("</div>\n")
	if len(d.Strip) > 0 {
		m.write("<h4>All trials in order</h4>\n" + `<p class="strip long">`)
		m.strip(d.Strip)
		m.write("</p>\n")
	}
	m.write("</details>\n")
	if p := d.Past; p != nil {
		m.write(`<details class="output past"><summary>History</summary>` + "\n")
		m.facts(p.Facts)
		m.write(`<p>Latest runs, this one last: <span class="strip">`)
		m.strip(p.Strip)
		m.write(`</span></p>` + "\n" +
			`<p class="note">P: all trials passed, M: some, F: none, X: none counted, S: skipped, a dot: not in the run.</p>` + "\n</details>\n")
	}
}

// Name is the name of a test and its flags.
func (r row) Name() template.HTML { return htmlOf(func(m *markup) { m.name(&r) }) }

func (m *markup) name(r *row) {
	m.write(`<span class="path">`)
	m.given(`<bdi class="suite">%s</bdi>`, r.Suite)
	m.write(`%s<bdi`, r.Between)
	m.when(r.Bare, ` class="bare"`)
	m.write(`>%s</bdi></span>`, r.Test)
	m.given(` <span class="variant">[<bdi>%s</bdi>]</span>`, r.Variant)
	for _, flag := range r.Flags {
		m.write(` <span class="flag">%s</span>`, flag)
	}
}

// HTML is the trials as cells.
func (s strip) HTML() template.HTML { return htmlOf(func(m *markup) { m.strip(s) }) }

func (m *markup) strip(s strip) {
	for _, l := range s {
		m.write(`<b class="o-%s" title="%s">%s</b>`, l.Class, l.Title, l.Letters)
	}
}

// HTML is a list of facts, "" without any.
func (f facts) HTML() template.HTML { return htmlOf(func(m *markup) { m.facts(f) }) }

func (m *markup) facts(all facts) {
	if len(all) == 0 {
		return
	}
	m.write("<dl>")
	for _, f := range all {
		m.write("<div><dt>%s</dt><dd>%s</dd></div>", f.Name, f.Value)
	}
	m.write("</dl>")
}

// HTML is the drawing.
func (p plot) HTML() template.HTML { return htmlOf(func(m *markup) { m.plot(&p) }) }

func (m *markup) plot(p *plot) {
	m.write(`<svg class="plot" width="140" height="18" viewBox="0 0 140 18" `)
	m.given(`role="img" aria-label="%s"`, p.Words)
	m.when(p.Words == "", `aria-hidden="true"`)
	m.write(` stroke="currentColor"><path d="M5 9h130"/>`)
	m.given(`<path class="interval" stroke-width="3" d="%s"/>`, p.Interval)
	m.given(`<path class="threshold" stroke-dasharray="3 2" d="%s"/>`, p.Threshold)
	m.given(`<circle cx="%s" cy="9" r="4"/>`, p.Point)
	m.write(`</svg>`)
}

// HTML is the drawing. Sizes, strokes and fills are attributes, so that drawings keep their shape where a style sheet is blocked.
func (c *chart) HTML() template.HTML { return htmlOf(c.write) }

func (c *chart) write(m *markup) {
	width, height := whole(float64(c.Width)), whole(float64(c.Height))
	m.write(`<svg class="chart" width="%s" height="%s" viewBox="0 0 %s %s" role="img"`, width, height, width, height)
	m.write(` fill="none" stroke="currentColor" font-size="13"><title>%s</title>`, c.Title)
	m.given(`<desc>%s</desc>`, c.Words)
	for i := range c.Marks {
		k := &c.Marks[i]
		m.write(`<path class="%s %s"`, k.Kind, k.Class)
		m.when(k.Kind != "line" && k.Kind != "mean", ` fill="currentColor" stroke="none"`)
		m.when(k.Kind == "area", ` fill-opacity=".15"`)
		m.given(` stroke-dasharray="%s"`, k.Dash)
		m.write(` d="%s"`, k.Path)
		m.given(`><title>%s</title></path>`, k.Title)
		m.when(k.Title == "", `/>`)
	}
	m.write(`<g fill="currentColor" stroke="none">`)
	for _, l := range c.Labels {
		m.write(`<text x="%s" y="%s"`, l.X, l.Y)
		if l.Anchor != "start" {
			m.write(` text-anchor="%s"`, l.Anchor)
		}
		m.write(`>%s</text>`, l.Text)
	}
	m.write(`</g></svg>`)
}

func (m *markup) trials(all []keptTrial) {
	for i := range all {
		all[i].write(m)
	}
}

func (k *keptTrial) write(m *markup) {
	m.write(`<article class="trial">`+"\n"+`<h5>%s <span class="badge %s">%s</span>`, k.Title, k.Badge.Class, k.Badge.Word)
	if len(k.About) > 0 || k.Measured != "" {
		m.write(` <span class="note">`)
		for _, s := range k.About {
			m.write(`· <bdi>%s</bdi> `, s)
		}
		m.given(`· %s`, k.Measured)
		m.write(`</span>`)
	}
	for _, s := range k.Same {
		m.write(` <span class="chip">%s</span>`, s)
	}
	m.write("</h5>\n")
	for _, said := range []*output{k.Message, k.Checks, k.Output} {
		if said != nil {
			said.write(m)
		}
	}
	if len(k.Files) > 0 {
		draw(m, "files", k.Files)
		m.write("\n")
	}
	if len(k.Labels) > 0 {
		m.facts(k.Labels)
		m.write("\n")
	}
	m.write("</article>\n")
}

func (o *output) write(m *markup) {
	m.given(`<details class="output"><summary>%s</summary>`, o.Folded)
	m.write(`<pre`)
	m.when(o.Lead, ` class="message"`)
	m.write(`>`)
	for _, s := range o.Spans {
		if s.Class != "" {
			m.write(`<span class="%s">%s</span>`, s.Class, s.Text)
		} else {
			m.write(`%s`, s.Text)
		}
	}
	m.write(`</pre>`)
	m.when(o.Folded != "", `</details>`)
	m.write("\n")
}
