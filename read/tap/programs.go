package tap

import (
	"strings"

	"tribunal/envelope"
	"tribunal/read/internal/trialfields"
)

// codeShared marks tests of several streams that have one name.
const codeShared = "ambiguous-streams"

// programs tells streams of several programs, of which some tests happen to be called
// alike, from repeats of one program, which have no others.
type programs struct {
	fresh  map[envelope.Key]bool // tests of the stream that none before it has; nil in the first
	shared envelope.Key          // one that another has, if any
}

// next begins another stream.
func (p *programs) next() { p.fresh, p.shared = map[envelope.Key]bool{}, envelope.Key{} }

// add adds a trial of the stream, of a test that has had others or not.
func (p *programs) add(t *envelope.Trial, before *trialfields.Attempts) {
	switch {
	case p.fresh == nil || t.ErrorClass != "": // what became of the stream is no test of it
	case *before.Of(t.Key) == 0:
		p.fresh[kept(t.Key)] = true
	case p.shared.Test == "" && !p.fresh[t.Key]:
		p.shared = kept(t.Key)
	}
}

// kept is a key that outlives the line it was read from.
func kept(k envelope.Key) envelope.Key {
	return envelope.Key{Suite: strings.Clone(k.Suite), Test: strings.Clone(k.Test), Variant: strings.Clone(k.Variant)}
}

// checkPrograms looks at a stream that ended.
func (rd *reader) checkPrograms() {
	if p := &rd.programs; len(p.fresh) > 0 && p.shared.Test != "" {
		rd.warn(codeShared, "streams in this file have tests of one name, such as "+p.shared.String()+", and tests that only one stream has; tests of one name count as trials of one test; if these are several programs, write a file for each")
	}
}
