package stats

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// Strengths are how strong competitors are, by who won against whom.
type Strengths struct {
	Theta []float64 // log strengths with mean 0; nil where the duels have no finite answer
	SE    []float64 // of each; nil where there is none
	// Nu is how likely ties are: equals tie with nu/(2 + nu). NaN where nothing says it.
	Nu            float64
	LogLikelihood float64 // without the penalty and constants; NaN where it is not known
}

// BradleyTerry rates competitors by their duels: wins[i][j] is how often i beat j, and ties[i][j]
// how often they tied, nil for none. P(i beats j) = e^a/(e^a + e^-a + nu), with a half the
// difference of their log strengths; ridge is the weight of a penalty ridge/2 theta², 0 for none.
// Without it strengths are finite only if nobody beats all whom they met for ever: the graph of
// wins is strongly connected, and with ties has a cycle of more wins than ties.
//
// R. A. Bradley, M. E. Terry, Biometrika 39 (1952) 324-345; R. R. Davidson, J. Am. Stat.
// Assoc. 65 (1970) 317-328 (ties).
func BradleyTerry(wins, ties [][]int, ridge float64) Strengths {
	d := duels{n: len(wins), ridge: ridge}
	won, tied := 0, 0
	for i := range wins {
		for j := range i {
			p := duelled{i: i, j: j, first: float64(wins[i][j]), second: float64(wins[j][i])}
			if ties != nil {
				p.ties = float64(ties[i][j])
			}
			won, tied = won+wins[i][j]+wins[j][i], tied+int(p.ties)
			d.pairs = append(d.pairs, p)
		}
	}
	switch d.ties = tied > 0; {
	case won == 0:
		return d.withoutWins(ties != nil)
	case ridge == 0 && !d.finite():
		return Strengths{Nu: math.NaN(), LogLikelihood: math.NaN()}
	}
	s := d.solve()
	if ties == nil {
		s.Nu = math.NaN()
	}
	return s
}

// duels are all pairs of n competitors.
type duels struct {
	n     int
	pairs []duelled
	ridge float64
	ties  bool // the last parameter is log nu
}

type duelled struct {
	i, j                int
	first, second, ties float64
}

func (d *duels) withoutWins(withTies bool) Strengths {
	s := Strengths{Theta: make([]float64, d.n), Nu: math.NaN()}
	if withTies {
		s.LogLikelihood = math.NaN()
		return s
	}
	for range d.n {
		if d.ridge > 0 {
			s.SE = append(s.SE, math.Sqrt((1-1/float64(d.n))/d.ridge))
		}
	}
	return s
}

// finite reports whether strengths without a penalty are: whether a way leads from each to
// each, by wins along and by ties both ways, and one back to itself has more wins than ties.
// The lengths of ways are by Floyd and Warshall.
func (d *duels) finite() bool {
	far, ways := float64(len(d.pairs)+d.n+1), make([][]float64, d.n)
	for i := range ways {
		ways[i] = slices.Repeat([]float64{math.Inf(1)}, d.n)
	}
	for _, p := range d.pairs {
		if p.ties > 0 {
			ways[p.i][p.j], ways[p.j][p.i] = 1, 1
		}
		if p.first > 0 {
			ways[p.i][p.j] = -1
		}
		if p.second > 0 {
			ways[p.j][p.i] = -1
		}
	}
	for k := range ways {
		for i := range ways {
			for j := range ways {
				ways[i][j] = math.Max(-far, math.Min(ways[i][j], ways[i][k]+ways[k][j]))
			}
		}
	}
	cycle := !d.ties
	for i, row := range ways {
		if slices.Contains(row, math.Inf(1)) {
			return false
		}
		cycle = cycle || row[i] < 0
	}
	return cycle
}

// solve finds the strengths by Newton's method, with shorter steps where one leads down.
func (d *duels) solve() Strengths {
	size := d.n
	if d.ties {
		size++
	}
	at := make([]float64, size)
	value, gradient, curvature := d.look(at)
	for range 200 {
		step := solved(curvature, gradient)
		scale := 1.
		for scale > 1e-12 {
			next := make([]float64, size)
			for i := range next {
				next[i] = at[i] + scale*step[i]
			}
			if higher, g, c := d.look(next); higher >= value {
				at, value, gradient, curvature = next, higher, g, c
				break
			}
			scale /= 2
		}
		if sum(gradient, math.Abs) < 1e-11 || scale <= 1e-12 {
			break
		}
	}
	s := Strengths{Theta: at[:d.n], LogLikelihood: value + d.ridge/2*floats.Dot(at[:d.n], at[:d.n])}
	if d.ties {
		s.Nu = math.Exp(at[d.n])
	}
	for i := range d.n {
		unit := make([]float64, size)
		unit[i] = 1
		s.SE = append(s.SE, math.Sqrt(solved(curvature, unit)[i]-1/(float64(d.n)*(d.ridge+1))))
	}
	return s
}

// look is the penalised log-likelihood with its gradient, and its curvature downwards. That
// has a part that holds the mean of the strengths at 0.
func (d *duels) look(at []float64) (value float64, gradient []float64, curvature [][]float64) {
	gradient, curvature = make([]float64, len(at)), make([][]float64, len(at))
	for i := range curvature {
		curvature[i] = make([]float64, len(at))
		for j := range d.n {
			if i < d.n {
				curvature[i][j] = 1 / float64(d.n)
			}
		}
	}
	for i := range d.n {
		value -= d.ridge / 2 * at[i] * at[i]
		gradient[i] -= d.ridge * at[i]
		curvature[i][i] += d.ridge
	}
	logNu := math.Inf(-1)
	if d.ties {
		logNu = at[d.n]
	}
	for _, p := range d.pairs {
		n := p.first + p.second + p.ties
		if n == 0 {
			continue
		}
		a := (at[p.i] - at[p.j]) / 2
		all := floats.LogSumExp([]float64{a, -a, logNu})
		first, second, tie := math.Exp(a-all), math.Exp(-a-all), math.Exp(logNu-all)
		value += p.first*(a-all) + p.second*(-a-all)
		slope, bend := (p.first-p.second-n*(first-second))/2, n*(first+second-(first-second)*(first-second))/4
		gradient[p.i] += slope
		gradient[p.j] -= slope
		curvature[p.i][p.i] += bend
		curvature[p.j][p.j] += bend
		curvature[p.i][p.j] -= bend
		curvature[p.j][p.i] -= bend
		if !d.ties {
			continue
		}
		value += p.ties * (logNu - all)
		gradient[d.n] += p.ties - n*tie
		curvature[d.n][d.n] += n * tie * (1 - tie)
		cross := -n * tie * (first - second) / 2
		for k, sign := range map[int]float64{p.i: 1, p.j: -1} {
			curvature[k][d.n] += sign * cross
			curvature[d.n][k] += sign * cross
		}
	}
	return value, gradient, curvature
}

// solved is x of m x = y for a symmetric matrix above 0.
func solved(m [][]float64, y []float64) []float64 {
	root, x := cholesky(m), append([]float64(nil), y...)
	for i := range x {
		x[i] = (x[i] - floats.Dot(root[i][:i], x[:i])) / root[i][i]
	}
	for i := len(x) - 1; i >= 0; i-- {
		for k := i + 1; k < len(x); k++ {
			x[i] -= root[k][i] * x[k]
		}
		x[i] /= root[i][i]
	}
	return x
}
