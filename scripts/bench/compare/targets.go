package main

import (
	"math"

	"tribunal/scripts/bench/record"
)

// outcome is everything that was measured.
type outcome struct {
	board
	figures map[string]float64 // what is no process: sizes, delays
}

// target is one promise. Its value is NaN when it was not measured.
type target struct {
	what    string
	value   func(outcome) float64
	limit   float64
	atLeast bool // the limit is a lower one
	unit    string
}

// promise is the target beside what was measured of it.
func (t target) promise(o outcome) record.Promise {
	return record.Promise{What: t.what, Value: t.value(o), Limit: t.limit, AtLeast: t.atLeast, Unit: t.unit}
}

// ratio is what one job took of another, by medians.
func ratio(of func(sample) float64, ours, theirs string) func(outcome) float64 {
	return func(o outcome) float64 {
		if len(o.board[ours]) == 0 || len(o.board[theirs]) == 0 {
			return math.NaN()
		}
		return o.of(ours, of) / o.of(theirs, of)
	}
}

func figure(name string) func(outcome) float64 {
	return func(o outcome) float64 {
		if v, ok := o.figures[name]; ok {
			return v
		}
		return math.NaN()
	}
}

// targets are the promises of the contract.
func targets(s sizes, formats []string) []target {
	all := []target{
		{what: "long outputs, counts to JUnit: time of DuckDB's", value: ratio(wall, "long: junit", "long: duckdb counts"), limit: 0.5},
		{what: "short trials, counts to JUnit: time of DuckDB's", value: ratio(wall, "short: junit", "short: duckdb counts"), limit: 0.6},
	}
	for _, d := range []data{s.long, s.short} {
		n := d.name
		all = append(all,
			target{what: n + ", lossless json: time of DuckDB's lists", value: ratio(wall, n+": json", n+": duckdb lists"), limit: 0.35},
			target{what: n + ", lossless json: memory of DuckDB's lists", value: ratio(memory, n+": json", n+": duckdb lists"), limit: 0.4},
			target{what: n + ", envelope read and written again: time of the first read", value: ratio(wall, n+": json again", n+": json"), limit: 0.5},
			target{what: n + ", from a pipe: speed of the file's", value: ratio(wall, n+": junit", n+": junit from a pipe"), limit: 0.7, atLeast: true},
			target{what: n + ", memory of 64 B a trial, 4 KiB a test and 100 MB", value: memoryShare(d), limit: 1})
	}
	all = append(all,
		target{what: "go test -json to JUnit: time of go-junit-report's", value: ratio(wall, "gotest: junit", "gotest: go-junit-report"), limit: 0.1},
		target{what: "go test -json to JUnit: memory of go-junit-report's", value: ratio(memory, "gotest: junit", "gotest: go-junit-report"), limit: 0.25})
	for _, p := range s.growth {
		all = append(all, target{what: "4 times the " + p.what + ": times the time", value: ratio(wall, "growth: "+p.what+" x4", "growth: "+p.what), limit: 4.4})
	}
	for _, f := range formats {
		all = append(all, target{what: "4 times the tests as " + f + ": times the time", value: ratio(wall, "format: "+f+" x4", "format: "+f), limit: 4.4})
	}
	all = append(all, readerTargets(s.reports)...)
	// The contract knows reading before conversations were looked at: passing over
	// them is what is left of that.
	return append(all,
		target{what: "conversations, 3 a test kept: processor time of passing over them", value: ratio(cpu, "talks: kept 3", "talks: passed over"), limit: 2},
		target{what: "conversations, all kept: processor time of keeping none", value: ratio(cpu, "talks: kept all", "talks: kept none"), limit: 2},
		target{what: "paths of 10 steps: size of the envelope without", value: ratio(size, "inside: stepped", "inside: bare"), limit: 1.6},
		target{what: "paths of 10 steps, envelope read and written again: processor time without", value: ratio(cpu, "inside: stepped again", "inside: bare again"), limit: 1.2},
		target{what: "start-up: report of one trial", value: milliseconds("start-up"), limit: 20, unit: "ms"},
		target{what: "start-up: schema, which reads nothing", value: milliseconds("start-up: schema"), limit: 20, unit: "ms"},
		target{what: "stripped binary", value: figure("binary"), limit: 30, unit: "MB"},
		target{what: "slow producer: a test is in the live line after", value: figure("live"), limit: 100, unit: "ms"},
		target{what: "producer of 200 MB/s: late at its end, beyond what cat makes it, by", value: figure("late"), limit: 2, unit: "%"},
		target{what: "producer of 200 MB/s: longest wait for us, beyond that for cat", value: figure("wait"), limit: 20, unit: "ms"})
}

// memoryShare is the largest share of the allowed memory that a job of ours took
// on a stream.
func memoryShare(d data) func(outcome) float64 {
	return func(o outcome) float64 {
		most := 0.0
		for _, name := range []string{": junit", ": junit from a pipe", ": json", ": json again"} {
			most = max(most, o.of(d.name+name, memory)/allowed(d.Trials, d.Tests))
		}
		if most == 0 {
			return math.NaN()
		}
		return most
	}
}

func milliseconds(job string) func(outcome) float64 {
	return func(o outcome) float64 {
		if len(o.board[job]) == 0 {
			return math.NaN()
		}
		return 1000 * o.of(job, wall)
	}
}
