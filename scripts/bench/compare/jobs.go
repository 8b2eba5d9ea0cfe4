package main

import (
	"strings"

	"tribunal/scripts/bench/stream"
)

// sizes are the streams of a measurement. The full ones are those of the
// contract: a gigabyte of long outputs, two million short trials, and as much of
// go test -json as makes a converter wait.
type sizes struct {
	long, short, gotest data
	growth              []pair
	formats             pair
	talks, unread       data // the same trials, once with their conversations in a field that no reader knows
	bare                data // the same trials without anything inside, with
	checked             data // checks, and with
	stepped             data // conversations of ten calls
	reports             []reported
}

// pair is a stream and one four times as large in every way named.
type pair struct {
	what        string
	small, four data
}

func trials(name string, o stream.Options) data {
	o.Seed = 1
	return data{name: name, write: stream.Trials, Options: o}
}

func fourTimes(what string, trialCount, tests, suites, labels, problems int, grown string) pair {
	small := stream.Options{Trials: trialCount, Tests: tests, Suites: suites, Labels: labels, Problems: problems}
	four := small
	four.Trials *= 4
	for _, name := range strings.Fields(grown) {
		switch name {
		case "tests":
			four.Tests *= 4
		case "suites":
			four.Suites *= 4
		case "problems":
			four.Problems *= 4
		}
	}
	return pair{what, trials(what, small), trials(what+"-4x", four)}
}

// sized returns the streams, all divided by what makes a quick look quick.
func sized(by int) sizes {
	gotest := data{name: "gotest", write: stream.GoTest, Options: stream.Options{Seed: 1, Trials: 60_000 / by, Output: 850}}
	return sizes{
		long:   trials("long", stream.Options{Trials: 1_000_000 / by, Tests: 2000, Output: 660}),
		short:  trials("short", stream.Options{Trials: 2_000_000 / by, Tests: 20_000}),
		gotest: gotest,
		growth: []pair{
			fourTimes("trials", 2_500_000/by, 20_000, 0, 0, 0, ""),
			fourTimes("tests", 500_000/by, 250_000/by, 0, 0, 0, "tests"),
			fourTimes("suites", 250_000/by, 125_000/by, 25_000/by, 0, 0, "tests suites"),
			fourTimes("labels", 250_000/by, 1000, 0, 10, 0, ""),
			fourTimes("problems", 250_000/by, 1000, 0, 0, 250_000/by, "problems"),
		},
		formats: fourTimes("formats", 100_000/by, 25_000/by, 0, 0, 0, "tests"),
		reports: reports(by, gotest),
		talks:   inside("talks", by, stream.Options{Checks: 6, Calls: 6}),
		unread:  inside("unread", by, stream.Options{Checks: 6, Calls: 6, Unread: true}),
		bare:    inside("bare", by, stream.Options{}),
		checked: inside("checked", by, stream.Options{Checks: 6}),
		stepped: inside("stepped", by, stream.Options{Calls: 10}),
	}
}

// inside are 20 trials each of 500 tests. Those with six calls have 16 kB, as
// tau-bench's.
func inside(name string, by int, o stream.Options) data {
	o.Trials, o.Tests = 10_000/by, 500/by
	return trials(name, o)
}

// report is a job of ours.
func (w workshop) report(name, input, format string) job {
	return job{name: name, argv: []string{w.tribunal(), "report", "--no-config", input, "-f", format}, out: w.out(name), gate: true}
}

// out is where the job of that name puts its result.
func (w workshop) out(name string) string {
	return w.path("out", strings.NewReplacer(" ", "-", "/", "-", ":", "").Replace(name))
}

// speedJobs are what everybody answers about one stream of trials.
func (w workshop) speedJobs(d data, peers bool) []job {
	file := w.file(d)
	piped := w.report(d.name+": junit from a pipe", "-", "junit")
	piped.pipe = file
	jobs := []job{
		{name: d.name + ": wc -l", argv: []string{"wc", "-l", file}},
		w.report(d.name+": junit", file, "junit"),
		piped,
		w.report(d.name+": json", file, "json"),
		w.report(d.name+": json again", w.out(d.name+": json"), "json"),
	}
	if !peers {
		return jobs
	}
	for _, question := range []string{"counts", "lists"} {
		name := d.name + ": duckdb " + question
		jobs = append(jobs, job{name: name, argv: []string{"node", w.duckdb(), question, file, w.out(name)}})
	}
	return jobs
}

// gotestJobs are the conversions of go test -json to JUnit.
func (w workshop) gotestJobs(d data, peers bool) []job {
	file := w.file(d)
	jobs := []job{
		{name: "gotest: wc -l", argv: []string{"wc", "-l", file}},
		w.report("gotest: junit", file, "junit"),
	}
	if !peers {
		return jobs
	}
	theirs, sums := w.out("gotest: go-junit-report"), w.out("gotest: gotestsum")
	return append(jobs,
		job{name: "gotest: go-junit-report", argv: []string{w.path("bin", "go-junit-report"), "-parser", "gojson", "-in", file, "-out", theirs}},
		job{name: "gotest: gotestsum", argv: []string{w.path("bin", "gotestsum"), "--format", "dots", "--junitfile", sums, "--raw-command", "--", "cat", file}, gate: true})
}

// growthJobs are the two sizes of each pair.
func (w workshop) growthJobs(s sizes) []job {
	var jobs []job
	for _, p := range s.growth {
		jobs = append(jobs, w.report("growth: "+p.what, w.file(p.small), "json"), w.report("growth: "+p.what+" x4", w.file(p.four), "json"))
	}
	return jobs
}

// formatJobs write every format of two numbers of tests.
func (w workshop) formatJobs(s sizes, formats []string) []job {
	var jobs []job
	for _, f := range formats {
		jobs = append(jobs, w.report("format: "+f, w.file(s.formats.small), f), w.report("format: "+f+" x4", w.file(s.formats.four), f))
	}
	return jobs
}

// talkJobs read conversations and keep some of them, and write envelopes of what is
// inside trials, and read these again.
func (w workshop) talkJobs(s sizes) []job {
	jobs := []job{
		{name: "talks: wc -l", argv: []string{"wc", "-l", w.file(s.talks)}},
		w.report("talks: passed over", w.file(s.unread), "minimal"),
	}
	for _, keep := range []string{"none", "3", "all"} {
		jobs = append(jobs, w.keeping("talks: kept "+keep, w.file(s.talks), "minimal", keep))
	}
	for _, keep := range []string{"none", "3", "all"} {
		jobs = append(jobs, w.keeping("talks: json, kept "+keep, w.file(s.talks), "json", keep))
	}
	for _, d := range []data{s.bare, s.checked, s.stepped} {
		name := "inside: " + d.name
		jobs = append(jobs, w.keeping(name, w.file(d), "json", "none"), w.keeping(name+" again", w.out(name), "json", "none"))
	}
	return jobs
}

// keeping is a report that keeps so many conversations of a test.
func (w workshop) keeping(name, input, format, keep string) job {
	j := w.report(name, input, format)
	j.argv = append(j.argv, "--keep-transcripts", keep)
	return j
}
