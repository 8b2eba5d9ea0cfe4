package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
)

// world is where one promise is tried: chance from its own seed, a folder, and the program.
type world struct {
	*rand.Rand
	tribunal, folder string
	scale            float64
}

// times is how often something is simulated.
func (w *world) times(n int) int { return max(10, int(w.scale*float64(n))) }

// repeat simulates n times, or as often as the scale says.
func (w *world) repeat(n int, simulate func(*tally)) *tally {
	var sum tally
	for range w.times(n) {
		simulate(&sum)
	}
	return &sum
}

// trial is a line of a trial stream.
type trial struct {
	Suite   string   `json:"suite,omitempty"`
	Test    string   `json:"test"`
	Variant string   `json:"variant,omitempty"`
	Attempt int      `json:"attempt"`
	Status  string   `json:"status,omitempty"`
	Score   *float64 `json:"score,omitempty"`
	Truth   string   `json:"truth,omitempty"`
	Checks  []check  `json:"checks,omitempty"`
	// Adaptive: earlier outcomes decided that the trial was run.
	Adaptive bool `json:"adaptive,omitempty"`
}

// check is a vote on a trial.
type check struct {
	Name   string `json:"name"`
	Status string `json:"status"`
	Vote   int    `json:"vote"`
}

// stream collects the trials of one input.
type stream struct{ bytes.Buffer }

func (s *stream) add(t trial) {
	line, err := json.Marshal(t)
	if err != nil {
		panic(err)
	}
	s.Write(line)
	s.WriteByte('\n')
}

// save writes the stream into a file of the world and returns its path.
func (w *world) save(name string, s *stream) string {
	path := filepath.Join(w.folder, name)
	if err := os.WriteFile(path, s.Bytes(), 0o644); err != nil {
		panic(err)
	}
	return path
}

// trials adds n trials of a test that passes at a rate.
func (w *world) trials(s *stream, of trial, n int, rate float64) {
	for i := range n {
		of.Attempt, of.Status = i, word(w.Float64() < rate)
		s.add(of)
	}
}

func word(pass bool) string {
	if pass {
		return "pass"
	}
	return "fail"
}

// run starts the program and returns its standard output. Exit codes 0, 1 and 3 are
// answers; any other ends the referee.
func (w *world) run(args ...string) []byte {
	cmd := exec.Command(w.tribunal, args...)
	cmd.Dir = w.folder
	var failed bytes.Buffer
	cmd.Stderr = &failed
	out, err := cmd.Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && (exit.ExitCode() == 1 || exit.ExitCode() == 3) {
		err = nil
	}
	if err != nil {
		panic(fmt.Sprintf("%s %q: %v\n%s", w.tribunal, args, err, failed.Bytes()))
	}
	return out
}

// ask runs the program and reads its JSON.
func ask[T any](w *world, args ...string) (a T) {
	if err := json.Unmarshal(w.run(append(args, "-f", "json")...), &a); err != nil {
		panic(fmt.Sprintf("the JSON of %q: %v", args, err))
	}
	return a
}

// envelope has what the referee reads of a report, and of a trend.
type envelope struct {
	Summary struct {
		Rate struct {
			Counted interval `json:"per_protocol"`
		}
		Like    struct{ Rate interval }
		Stopped struct{ Rate interval }
		Labels  labels
		Votes   map[string]struct {
			Judge, Agent interval
			Share        interval `json:"judge_share"`
		}
	}
	Tests []test
}

type labels struct {
	RoganGladen interval `json:"rogan_gladen"`
	Powered     interval `json:"prediction_powered"`
}

type test struct {
	Test    string
	Status  string
	State   string
	Verdict struct {
		StoppedAt *int `json:"stopped_at"`
	}
	Drift struct {
		P *float64 `json:"p_value"`
	}
	Ever struct{ Changed bool }
}

type comparison struct {
	Contrasts []struct {
		Run   state
		Tests []state
	}
}

type rank struct {
	Best     []string
	Variants []variant
}

type variant struct {
	Name     string
	Mean     interval
	From, To int
}

// state is what a comparison says of a test, or of the run.
type state struct{ Test, State string }

func (s state) changed() bool { return s.State == "regressed" || s.State == "improved" }

type interval struct{ Lo, Hi *float64 }

// misses reports that the truth lies outside, or that there is no interval.
func (i interval) misses(truth float64) bool { return i.above(truth) || i.below(truth) }

func (i interval) above(truth float64) bool { return i.Lo == nil || *i.Lo > truth }
func (i interval) below(truth float64) bool { return i.Hi == nil || *i.Hi < truth }

// beta draws a rate around p whose trials correlate by icc.
func (w *world) beta(p, icc float64) float64 {
	if icc == 0 {
		return p
	}
	size := 1/icc - 1
	x, y := w.gamma(p*size), w.gamma((1-p)*size)
	if x+y == 0 {
		return math.Round(p)
	}
	return x / (x + y)
}

// gamma is G. Marsaglia, W. W. Tsang, ACM Trans. Math. Softw. 26 (2000) 363-372.
func (w *world) gamma(shape float64) float64 {
	if shape < 1 {
		return w.gamma(shape+1) * math.Pow(w.Float64(), 1/shape)
	}
	d := shape - 1./3
	for c := 1 / math.Sqrt(9*d); ; {
		x := w.NormFloat64()
		v := math.Pow(1+c*x, 3)
		if v > 0 && math.Log(w.Float64()) < x*x/2+d-d*v+d*math.Log(v) {
			return d * v
		}
	}
}
