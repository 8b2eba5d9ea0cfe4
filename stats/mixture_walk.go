package stats

import "math"

// mixtureWalk follows logMixtureBelow trial by trial. Integration by parts gives
// g(c,f) = integral_0^p (q/p)^c ((1-q)/(1-p))^f dq one trial later,
//
//	g(c+1,f) = ((c+1) g/p - (1-p)) / (c+f+2)
//	g(c,f+1) = ((f+1) g/(1-p) + p) / (c+f+2),
//
// at no cost, but the difference in the first line loses digits. The walk
// bounds the relative error it has gathered and takes g from the continued
// fraction again when the bound is no longer tiny.
type mixtureWalk struct {
	p, c, f float64
	g, lost float64
}

const (
	mixtureTolerance = 1e-13
	mixtureRounding  = 4e-16
	mixtureRange     = 1e100
)

func newMixtureWalk(p float64) *mixtureWalk {
	return &mixtureWalk{p: p, g: p}
}

// add counts one more trial and returns the new log e-value. For the mixture
// above a threshold, passes and failures change places.
func (m *mixtureWalk) add(pass bool) float64 {
	next := m.c + m.f + 2
	var grown, constant float64
	if pass {
		m.c++
		grown, constant = m.c*m.g/(m.p*next), -(1-m.p)/next
	} else {
		m.f++
		grown, constant = m.f*m.g/((1-m.p)*next), m.p/next
	}
	m.g = grown + constant
	m.lost = (m.lost*grown + mixtureRounding*(grown+math.Abs(constant))) / m.g
	if !(m.lost > 0 && m.lost < mixtureTolerance && m.g > 1/mixtureRange && m.g < mixtureRange) {
		return m.restart()
	}
	return math.Log(m.g / m.p)
}

// restart takes g from scratch.
func (m *mixtureWalk) restart() float64 {
	e := logMixtureBelow(m.c, m.f, m.p)
	m.g, m.lost = m.p*math.Exp(e), mixtureRounding*(1+math.Abs(e))
	if !(m.g > 1/mixtureRange && m.g < mixtureRange) {
		m.lost = 1 // too far out for a plain number: start again each time
	}
	return e
}
