package html

import "testing"

// The ways to escape are those that the documentation of html/template gives for
// these contexts; that the results are the same is TestDataDrawsTheSameHTML.
func TestPlaces(t *testing.T) {
	const none = -1
	for _, c := range []struct {
		text   string
		want   int
		reason string
	}{
		{"", escapeHTML, "the beginning of a part"},
		{"<p>said: ", escapeHTML, "text"},
		{`<p class="fail `, escapeHTML, "an attribute"},
		{`<p class='fail `, escapeHTML, "an attribute in other quotes"},
		{`<p title="a > b" id="`, escapeHTML, "a sign that ends no element inside quotes"},
		{`<a href="`, escapeURL, "an address"},
		{"<a\n\tHREF=\"", escapeURL, "whatever its letters, behind a line end"},
		{`<a href="#`, escapeQuery, "behind the sign of a place"},
		{`<a href="?test=`, escapeQuery, "in the query"},
		{`<a href="/runs/`, none, "in the middle of an address"},
		{`<a data-href="`, escapeHTML, "no address, though its name ends like one"},
		{"<p ", none, "between attributes"},
		{"<p class=", none, "an attribute without quotes"},
		{`<p ="`, none, "no name"},
		{"<script>", none, "a script"},
		{"<STYLE>", none, "a style"},
		{"<!-- ", none, "a comment"},
	} {
		got := none
		if p, err := (place{}).after(c.text); err == nil {
			if got, err = p.escaper(); err != nil {
				got = none
			}
		}
		if got != c.want {
			t.Errorf("%s: a value behind %q is escaped by %d, want %d", c.reason, c.text, got, c.want)
		}
	}
}

// A value is part of its attribute.
func TestPlaceBehindAValue(t *testing.T) {
	at, err := place{}.after(`<a href="`)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := at.printed().escaper(); err == nil {
		t.Error("a second value right behind the first of an address is let through")
	}
	end, err := at.printed().after(`">`)
	if err != nil || end != (place{}) {
		t.Errorf("behind the element: %+v, %v", end, err)
	}
}
