package envelope

import "tribunal/envelope/internal/codec"

// Size bounds the size of a text that was not written yet.
type Size struct {
	Least, Most int // bytes
	Quotes      int // that are among them, at least
}

// JSONSize bounds what MarshalJSON writes. For whole numbers, and decimals of up
// to six digits behind the point, it is exact. It takes a tenth of the time of
// writing: a report with a limit knows by it what is not worth to be written.
func (r *Rows) JSONSize() Size {
	n := r.Len()
	s := Size{Least: n, Most: n + n*statusSize + len(rowFields)*keySize}
	s.addKey(true, len(`{"outcome":""}`), len(`""""`))
	for _, c := range []Column[int32]{r.Attempt(), r.Category(), r.ToolCalls()} {
		s.addKey(c != nil, len(`,"attempt":[]`), len(`""`))
		addWholes(&s, c, n)
	}
	for _, c := range []Column[int64]{r.Tokens(), r.Digest()} {
		s.addKey(c != nil, len(`,"tokens":[]`), len(`""`))
		addWholes(&s, c, n)
	}
	for _, c := range []Column[float64]{r.Score(), r.DurationMS(), r.SetupMS(), r.CostUSD(), r.SetupCost()} {
		s.addKey(c != nil, len(`,"score":[]`), len(`""`))
		s.addReals(c, n)
	}
	for _, c := range []Words{r.Run(), r.RawStatus(), r.ErrorClass()} {
		s.addKey(c.Used(), len(`,"run":[]`), len(`""`))
		s.addWords(c, n)
	}
	s.addRange(r.Source() != nil, n, len("0,"), len("-2147483648,"))
	s.addRange(r.Retry() != nil, n, len("true,"), len("false,"))
	s.addKey(r.Truth() != nil, len(`,"truth":""`), len(`""""`))
	s.addRange(r.Truth() != nil, n, len("P"), len("P"))
	s.addTimes(r.StartedAt(), n)
	s.addInside(r.Inside(), n)
	return s
}

// addInside adds what is inside of the trials at most: it is too rare to be
// measured.
func (s *Size) addInside(is Inside, n int) {
	const outcome, given, score = len(`"":{"outcome":"",`), len(`"given":"",`), len(`"score":[],`)
	const votes, vote = len(`"votes":[],"votes_passed":[]},`), 2 * len("-2147483648,")
	for i := range is.Checks {
		s.Most += outcome + given + score + votes + escapeSize*len(is.Checks[i].Name) + n*(len("PP")+realSize+vote)
	}
	if is.Steps.Used() {
		s.Most += n*nullSize + len("4294967295,")*len(is.Steps.places)
	}
	s.addRange(is.StepsTotal != nil, n, 0, len("-2147483648,"))
}

// addKey adds what is around the cells of a column that is used. It is part of
// what a text may have at most already.
func (s *Size) addKey(used bool, least, quotes int) {
	if used {
		s.Least += least
		s.Quotes += quotes
	}
}

func (s *Size) addTimes(c Column[int64], n int) {
	const shortest, longest = len(`"2026-03-01T10:00:00Z",`), len(`"2026-03-01T10:00:00.000000000Z",`)
	s.addKey(c != nil, len(`,"started_at":[]`), len(`""`))
	for _, at := range c {
		if !isAbsent(at) {
			s.addRange(true, 1, shortest-nullSize, longest-nullSize)
			s.Quotes += len(`""`)
		}
	}
	s.addRange(c != nil, n, nullSize, nullSize)
}

const (
	statusSize = len(`"inconclusive",`)      // a status of a row, which most have not
	keySize    = len(`,"setup_cost_usd":[]`) // the longest
	nullSize   = len("null,")
	realSize   = len("-2.2250738585072014e-308,")
	escapeSize = len(`\u0000`)
)

// addRange adds n cells of a column that is used, each between two sizes.
func (s *Size) addRange(used bool, n, least, most int) {
	if used {
		s.Least += n * least
		s.Most += n * most
	}
}

func (s *Size) add(n int) {
	s.Least += n
	s.Most += n
}

// addAbsent adds n cells without a value.
func (s *Size) addAbsent(n int) { s.add(n * nullSize) }

func addWholes[T int32 | int64](s *Size, c Column[T], n int) {
	if c == nil {
		return
	}
	size := 0
	for _, v := range c {
		switch {
		case isAbsent(v):
			size += nullSize
		case v < 0:
			size += len("-,") + codec.Digits(uint64(-int64(v)))
		default:
			size += len(",") + codec.Digits(uint64(v))
		}
	}
	s.add(size)
	s.addAbsent(n - len(c))
}

func (s *Size) addReals(c Column[float64], n int) {
	if c == nil {
		return
	}
	size, odd := 0, 0
	for _, v := range c {
		whole, behind, ok := codec.InMillionths(v)
		switch {
		case isAbsent(v):
			size += nullSize
		case !ok:
			odd++
		default:
			size += len(",") + codec.Digits(whole) + codec.DigitsBehind(behind)
			if v < 0 {
				size += len("-")
			}
		}
	}
	s.add(size)
	s.addAbsent(n - len(c))
	s.addRange(true, odd, len("0,"), realSize)
}

// addWords counts the bytes of a word, and at most that each of them is escaped.
func (s *Size) addWords(c Words, n int) {
	if !c.Used() {
		return
	}
	last, size := uint32(0), 0
	for _, id := range c.IDs {
		if id != last {
			last, size = id, len(c.dict.words[id])
		}
		s.Least += size
		s.Most += escapeSize * size
	}
	s.add(n * len(`"",`))
	s.Quotes += n * len(`""`)
}
